import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import { BareAgent } from '../../src/agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../../src/config/defaults.ts';
import { openModels } from '../../src/config/models/open-models.ts';
import { fromAiSdk } from '../../src/models/ai-sdk/model.ts';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedReply, ServedRequest } from '../../src/testing/model-server/script.ts';
import { ofType } from '../support/kernel.ts';
import { goodKey, price } from '../support/provider-stage.ts';
import { tree } from '../support/tree.ts';
import { readRequest } from './requests.ts';
import { conversationNamed } from './scripts.ts';

const session = 'long';
const early = 'the very first line of this conversation';

/** The figures of a long conversation. */
interface LongConversation {
  /** The size of the largest request, in tokens. */
  readonly largest: number;
  /** The number of times that the oldest turns were summarised. */
  readonly summaries: number;
  /** The cost of all turns, in US dollars. */
  readonly cost: number;
}

/**
 * Holds a conversation of many turns, most of which read a long part of a file. Checks after each turn that its
 * answer is right, and at the end that the first result can still be used and the exception in the loaded skill
 * is still in the prompt. `onTurn` is called after each turn.
 */
export async function holdLong(
  turns: number,
  onTurn: (turn: number) => Promise<void> | void = () => undefined,
): Promise<LongConversation> {
  const { files } = conversationNamed('compaction');
  using project = tree({ ...files, 'first.txt': `${early}\n` });
  const sizes: number[] = [];
  let summaries = 0;
  let last: ServedRequest | undefined;
  await using server = await openModelServer((request) => {
    const isSummary = readRequest(request).tools.length === 0;
    if (isSummary) summaries += 1;
    else sizes.push(JSON.stringify(request.body).length / 4);
    if (!isSummary) last = request;
    (server.requests as ServedRequest[]).length = 0; // Keeps the test's own memory flat.
    return isSummary ? 'Parts of log.txt were read. The first result is $$read-1.' : replyTo(request);
  });
  const { responses } = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: goodKey });
  const models = openModels(
    { models: [fromAiSdk(responses('gpt-6-astra'), { price })] },
    { environment: {} },
  );
  await using agent = new BareAgent(
    { startDir: project.path, models, embeddings: false, store: project.at('runs.db') },
    defaultPorts({ HOME: project.at('home') }),
  );
  const prompts = ['Read first.txt.', 'Learn the rules.'];
  let cost = 0;
  for (let turn = 1; turn <= turns; turn += 1) {
    const prompt = turn === turns ? 'Use the first result.' : (prompts[turn - 1] ?? `Look at part ${turn}.`);
    const handle = agent.run({ prompt, session, assistant: 'open', toAssistant: true });
    const result = await handle.result;
    assert.equal(result.text, `Answer to: ${prompt}`, JSON.stringify(result.error));
    cost += result.usage.cost ?? 0;
    if (turn === turns) {
      const calls = ofType(await agent.runs.events(handle.id), 'frame.started').map(({ input }) => input);
      assert.match(JSON.stringify(calls), new RegExp(early), 'The first result is still resolved.');
    }
    await onTurn(turn);
  }
  assert.match(JSON.stringify(last?.body), /Exception: customers of the north depot may be named/);
  return { largest: Math.max(...sizes), summaries, cost };
}

/** Answers the last prompt of a request: first with a call, and then with a text. */
function replyTo(request: ServedRequest): ServedReply {
  const { lines } = readRequest(request);
  const at = lines.findLastIndex((line) => line.startsWith('user: '));
  const prompt = (lines[at] ?? '').slice('user: '.length).split('\n').at(-1) ?? '';
  if (at < lines.length - 1) return { text: `Answer to: ${prompt}` };
  const id = `call-${Math.random()}`;
  const call = (name: string, input: Record<string, string | number>): ServedReply => ({
    calls: [{ id, name, input }],
  });
  if (prompt === 'Learn the rules.') return call('skill', { name: 'house-rules' });
  if (prompt === 'Read first.txt.') return call('read', { file_path: 'first.txt' });
  if (prompt === 'Use the first result.') return call('find-skills', { query: '$$read-1' });
  const part = Number(/\d+/.exec(prompt)?.[0] ?? 1) % 6;
  return call('read', { file_path: 'log.txt', offset: part * 380 + 1, limit: 380 });
}
