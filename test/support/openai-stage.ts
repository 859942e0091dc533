import OpenAI from 'openai';
import type { AgentOptions } from '../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../../src/models/scripted.ts';
import { createServer, type AgentServer, type GroupedServerOptions } from '../../src/server/create-server.ts';
import { agentWith, type TestSkill } from './kernel.ts';

/** A server over HTTP, with OpenAI's own client. */
export interface OpenAiStage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly server: AgentServer;
  readonly model: ScriptedModel;
  readonly client: OpenAI;
  readonly url: string;
}

/** Starts a server whose agent has these skills and a scripted model. */
export async function openaiStage(
  script: Script,
  skills: Readonly<Record<string, TestSkill>> = {},
  more: { readonly agent?: AgentOptions; readonly server?: GroupedServerOptions; readonly key?: string } = {},
): Promise<OpenAiStage> {
  const model = createScriptedModel(script);
  const models = { model: () => model };
  const agent = agentWith(skills, { models, ...more.agent });
  const server = createServer(agent, more.server ?? {});
  const { url } = await server.listen();
  const client = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: more.key ?? 'none', maxRetries: 0 });
  return {
    agent,
    server,
    model,
    client,
    url,
    async [Symbol.asyncDispose]() {
      await server.close({ drainMs: 100 });
      await agent.shutdown({ drainMs: 0 });
    },
  };
}
