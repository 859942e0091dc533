import {
  hashOf,
  isAgentError,
  visible,
  type AgentError,
  type Json,
  type Scope,
  type ServerDescription,
  type ServerFeatures,
  type ToolDefinition,
  type ToolServer,
} from '../../core/index.ts';
import type { AllowedTools } from './allowed-tools.ts';
import { isToolName } from './allowed-tools.ts';

/** A server as a frame came to know it; a frame that begins again knows the same, whatever the server says by then. */
export interface ListedServer {
  readonly name: string;
  /** For people. */
  readonly place: string;
  /** The allowed ones. */
  readonly tools: readonly ToolDefinition[];
  /** Of all its tools. */
  readonly names: readonly string[];
  readonly features: ServerFeatures;
  /** What it describes as tools and cannot be used, each a sentence. */
  readonly complaints: readonly string[];
  /** Why nothing is known of it. */
  readonly fault?: AgentError;
  /** What tells it from every other server, also from one of the same name; nothing secret is in it. */
  readonly identity: string;
  /** The server to be asked now; throws where it cannot be opened any more. */
  open(): ToolServer;
}

/** Asks a server once in a frame what it can do. What goes wrong is its fault, as data. */
export async function listTools(
  scope: Scope,
  which: string | ServerDescription,
  allowed: AllowedTools,
): Promise<ListedServer> {
  const name = typeof which === 'string' ? which : which.name;
  const open = await openerOf(scope, which);
  const wanted = hashOf([which, allowed.entries ?? null] as unknown as Json);
  try {
    const known = await scope.step(`tools:${name}`, () => ask(scope, open(), allowed), wanted);
    return { name, open, identity: identityOf(which), ...(known as unknown as Known) };
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return { name, open, identity: identityOf(which), ...nothingKnown, fault: thrown };
  }
}

/** One that settings know is the user's own, whatever they make of it. */
function identityOf(which: string | ServerDescription): string {
  if (typeof which === 'string') return hashOf(['known', which]);
  const { name } = which;
  return hashOf(which.kind === 'http' ? [name, which.url] : [name, which.command, ...which.args]);
}

const mostComplaints = 20;

type Known = Pick<ListedServer, 'place' | 'tools' | 'names' | 'features' | 'complaints'>;

const nothingKnown: Known = {
  place: '',
  tools: [],
  names: [],
  complaints: [],
  features: { resources: false, prompts: false, skills: false },
};

/** A server that cannot be opened is a fault when it is needed, which it may not be after a restart. */
async function openerOf(scope: Scope, which: string | ServerDescription): Promise<() => ToolServer> {
  try {
    const server = await scope.resources.server(which);
    return () => server;
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return () => {
      throw thrown;
    };
  }
}

async function ask({ signal }: Scope, server: ToolServer, allowed: AllowedTools): Promise<Json> {
  const found = await server.tools({ signal });
  const features = await server.features({ signal });
  const byName = new Map(found.toReversed().map((tool) => [tool.name, tool])); // the first of a name counts
  const usable = found.filter((tool) => isToolName(tool.name) && byName.get(tool.name) === tool);
  const unusable = found
    .filter(({ name }) => !isToolName(name))
    .map(({ name }) => `The tool "${visible(name)}" of "${server.name}" is left out: no rule could name it.`);
  const known: Known = {
    place: server.place,
    tools: usable.filter((tool) => allowed.allows(server.name, tool.name)),
    names: usable.map((tool) => tool.name),
    features,
    complaints: [...server.complaints(), ...unusable].slice(0, mostComplaints),
  };
  return known as unknown as Json;
}
