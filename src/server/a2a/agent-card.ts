import type { AgentCard } from '@a2a-js/sdk';
import type { Caller } from '../caller.ts';
import { modelsFor } from '../chat/models.ts';
import { agentModel } from '../chat/take-turn.ts';
import type { ServerContext } from '../route-group.ts';

const modes = ['text/plain', 'application/json', 'image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Describes the agent with the skills that a caller may use. */
export function buildAgentCard(context: ServerContext, caller: Caller, url: string): AgentCard {
  const skills = modelsFor(context, caller).filter(({ id }) => id !== agentModel);
  return {
    name: agentModel,
    description: 'Answers requests with the skills of a project.',
    supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      tenant: '',
      protocolVersion,
    })),
    provider: undefined,
    version: context.version,
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: {
      bearer: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { description: 'A key of the server.', scheme: 'bearer', bearerFormat: '' },
        },
      },
    },
    securityRequirements: [],
    defaultInputModes: modes,
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: skills.map(({ id, description }) => {
      const name = id.slice(agentModel.length + 1);
      const none = { examples: [], inputModes: [], outputModes: [], securityRequirements: [] };
      return { id: name, name, description, tags: [name], ...none };
    }),
    signatures: [],
  };
}
