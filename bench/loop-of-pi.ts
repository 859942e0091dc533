import { join } from 'node:path';
import { installPeers, otherProjects } from './peers.ts';

interface PiStream {
  push(event: object): void;
  end(result?: unknown): void;
}

interface PiAgent {
  runAgentLoop(
    prompts: readonly object[],
    context: object,
    config: object,
    emit: (event: object) => void,
    signal: AbortSignal | undefined,
    streamFn: () => PiStream,
  ): Promise<readonly { role: string; content: readonly { text?: string }[] }[]>;
}

/** Returns pi's agent loop with a model that answers immediately, or undefined if pi cannot be installed. */
export async function piLoop(): Promise<((steps: number) => Promise<void>) | undefined> {
  const folder = join(otherProjects, 'node_modules/@earendil-works');
  if (!installPeers(join(folder, 'pi-agent-core/dist/index.js'))) return undefined;
  const { runAgentLoop } = (await import(join(folder, 'pi-agent-core/dist/index.js'))) as PiAgent;
  const { createAssistantMessageEventStream } = (await import(join(folder, 'pi-ai/dist/index.js'))) as {
    createAssistantMessageEventStream: () => PiStream;
  };
  return async (steps) => {
    let turn = 0;
    const answer = (): PiStream => {
      turn += 1;
      const isLast = turn > steps;
      const content = isLast
        ? [{ type: 'text', text: 'Done.' }]
        : [{ type: 'toolCall', id: `c${turn}`, name: 'add', arguments: { n: turn } }];
      const message = {
        role: 'assistant',
        content,
        ...model,
        usage,
        timestamp: 0,
        stopReason: isLast ? 'stop' : 'toolUse',
      };
      const stream = createAssistantMessageEventStream();
      stream.push({ type: 'start', partial: message });
      stream.push({ type: 'done', reason: message.stopReason, message });
      stream.end(message);
      return stream;
    };
    const add = {
      name: 'add',
      label: 'add',
      description: 'Adds a number.',
      parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      execute: async (_id: string, { n }: { n: number }) => ({
        content: [{ type: 'text', text: `sum ${n}` }],
        details: {},
      }),
    };
    const messages = await runAgentLoop(
      [{ role: 'user', content: 'Go.', timestamp: 0 }],
      { systemPrompt: '', messages: [], tools: [add] },
      { model: { id: 'model', ...model }, convertToLlm: (all: readonly object[]) => all },
      () => undefined,
      undefined,
      answer,
    );
    const said = messages.at(-1)?.content[0]?.text;
    if (said !== 'Done.') throw new Error(`pi said ${said ?? 'nothing'}`);
  };
}

const model = { api: 'instant', provider: 'instant', model: 'model' };
const usage = {
  input: 10,
  output: 5,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 15,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
