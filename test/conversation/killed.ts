import assert from 'node:assert/strict';
import type { BareAgent } from '../../src/agent/recursive-skilled-agent.ts';
import { optional } from '../../src/core/collections.ts';
import type { RunResult } from '../../src/core/run.ts';
import { openModelServer, type ModelServer } from '../../src/testing/model-server/server.ts';
import { startWorker } from '../processes/start-worker.ts';
import { providerKinds } from '../support/provider-stage.ts';
import type { Conversation, ConversationTurn } from './scripts.ts';
import { createFolders, openAgent, session, type ConversationFolders } from './stage.ts';

const [kind] = providerKinds;

/** A conversation whose process is killed, and the agent that continues it. */
export interface KilledConversation extends AsyncDisposable {
  readonly agent: BareAgent;
  readonly server: ModelServer;
  readonly folders: ConversationFolders;
  readonly results: RunResult[];
}

/**
 * Holds a conversation up to the turn in which its process is killed, and opens an agent for the rest. Each turn
 * before has a process of its own.
 */
export async function holdUntilKilled(
  conversation: Conversation,
  when: (server: ModelServer, begun: Promise<unknown>) => Promise<unknown>,
): Promise<KilledConversation> {
  assert.ok(kind !== undefined);
  const folders = await createFolders(conversation);
  const replies = conversation.turns.flatMap((turn) => turn.replies);
  const server = await openModelServer(replies);
  const { options } = kind.setUp(server.url, undefined);
  const at = conversation.turns.findIndex(({ killedAt }) => killedAt !== undefined);
  for (const [index, { types }] of conversation.turns.slice(0, at + 1).entries()) {
    const run = { prompt: types ?? '', session, assistant: 'open', toAssistant: true } as const;
    const more = { workspace: folders.workspace, only: true, ...optional('providers', options.providers) };
    const order = { store: folders.files.at('runs.db'), effects: folders.files.at('effects.txt'), run };
    await using worker = startWorker(
      { ...order, options: { ...more, models: options.models } },
      folders.files.at('cache'),
      { ...folders.environment, OFFICE_KEY: 'none' },
    );
    if (index < at) {
      const { result } = await worker.line('result');
      assert.equal(result.status, 'done', JSON.stringify(result.error));
      continue;
    }
    await when(server, worker.line('begun'));
    worker.signal('SIGKILL');
    assert.equal((await worker.ended).signal, 'SIGKILL');
  }
  const agent = openAgent(folders, kind, server.url);
  return {
    agent,
    server,
    folders,
    results: [],
    async [Symbol.asyncDispose]() {
      await agent.shutdown({ drainMs: 0 });
      await server.close();
      folders.files[Symbol.dispose]();
    },
  };
}

/** Continues the run that was interrupted, and then holds the rest of the conversation. */
export async function holdTheRest(
  { agent, results }: KilledConversation,
  turns: readonly ConversationTurn[],
): Promise<void> {
  const [interrupted] = await agent.runs.list({ session });
  assert.equal(interrupted?.status, 'interrupted');
  results.push(await agent.runs.resume(interrupted.id).result);
  for (const { types } of turns.filter((turn) => turn.types !== undefined)) {
    const run = agent.run({ prompt: types ?? '', session, assistant: 'open' });
    results.push(await run.result);
  }
}
