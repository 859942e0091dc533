import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done, textOf, type Run } from '../../../test/support/kernel.ts';
import { createMemoryStore } from '../../stores/memory.ts';

test('a session keeps its first turn and its last turns by size, and later turns read how many are missing', async () => {
  const store = createMemoryStore();
  const reads: Run = async (_input, { history }) =>
    done((await history(20_000)).map(({ text }) => text).join('\n'));
  await using agent = agentWith({ says: () => done(), reads }, { store });
  const session = { context: { sessionId: 's' } };
  const long = 'x'.repeat(8_000);
  for (let turn = 1; turn <= 35; turn++) await agent.executePrompt(`/says ${turn} ${long}`, session);
  const kept = [...(await store.entries('turns/s')).values()].map((value) => textOf(value).slice(0, 60));
  assert.ok(kept.length > 20 && kept.length < 30, `${kept.length}`);
  const text = (await agent.executePrompt('/reads', session)).text;
  const turns = [...text.matchAll(/^\/says (\d+)/gm)].map(([, number]) => Number(number));
  assert.deepEqual([turns[0], turns.at(-1)], [1, 35]);
  assert.match(text, new RegExp(`^\\[${35 - turns.length} turns are omitted here\\]$`, 'm'));
});

test('a session keeps all of its short turns', async () => {
  const reads: Run = async (_input, { history }) =>
    done((await history(20_000)).map(({ text }) => text).join(' '));
  await using agent = agentWith({ says: () => done('ok'), reads }, { store: createMemoryStore() });
  const session = { context: { sessionId: 's' } };
  for (let turn = 1; turn <= 40; turn++) await agent.executePrompt(`/says ${turn}`, session);
  const { text } = await agent.executePrompt('/reads', session);
  assert.equal(text, Array.from({ length: 40 }, (_, index) => `/says ${index + 1} ok`).join(' '));
});
