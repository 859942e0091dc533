import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { agentWith, done, textOf, type Run } from '../../../test/support/kernel.ts';
import { startPostgres } from '../../../test/support/postgres.ts';
import { tree } from '../../../test/support/tree.ts';
import type { Store } from '../../core/index.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { openPostgresStore } from '../../stores/postgres/store.ts';
import { openSqliteStore } from '../../stores/sqlite/store.ts';

const server = await startPostgres();
after(() => server?.[Symbol.asyncDispose]());
const folder = tree({});
const url = server?.url;

const stores: readonly (readonly [string, (() => Promise<Store>) | undefined])[] = [
  ['memory', async () => createMemoryStore()],
  ['SQLite', () => openSqliteStore(folder.at('runs.db'))],
  ['PostgreSQL', url === undefined ? undefined : () => openPostgresStore(url)],
];

const missing = async (): Promise<Store> => {
  throw new Error('skipped');
};

for (const [name, open] of stores)
  describe(`requests in ${name}`, { skip: open === undefined && 'PostgreSQL is not installed' }, () => {
    const counted = (): { readonly count: () => number; readonly top: Run } => {
      let calls = 0;
      const top: Run = async (input, scope) =>
        done(await scope.step('x', () => `${textOf(input)} ${++calls}`));
      return { count: () => calls, top };
    };

    test('a submitted request is recorded, not executed, until a process resumes it', async () => {
      const store = await (open ?? missing)();
      const { count, top } = counted();
      {
        await using agent = agentWith({ top }, { store });
        const id = await agent.runs.submit({ id: 's_1', skill: 'top', input: 'hi', user: { id: 'ann' } });
        assert.equal(id, 's_1');
        assert.equal(await agent.runs.submit({ id: 's_1', skill: 'top', input: 'other' }), 's_1');
        const [run] = await agent.runs.list({ user: 'ann' });
        assert.deepEqual([run?.id, run?.status, run?.seq], ['s_1', 'interrupted', 1]);
        assert.deepEqual(await agent.runs.list({ user: 'bob' }), []);
      }
      assert.equal(count(), 0);
      await using other = agentWith({ top }, { store });
      const results = await Promise.all([1, 2, 3].map(() => other.runs.resume('s_1').result));
      assert.deepEqual(
        results.map(({ text }) => text),
        ['hi 1', 'hi 1', 'hi 1'],
      );
      const [started] = await other.runs.events('s_1');
      assert.equal(started?.type === 'run.started' && started.submitted, true);
      await store.close();
    });

    test('a run id that is used twice, at the same time or later, runs once', async () => {
      const store = await (open ?? missing)();
      const { count, top } = counted();
      await using one = agentWith({ top }, { store });
      await using two = agentWith({ top }, { store });
      const request = { id: 'mine', skill: 'top', input: 'hi' };
      const handles = [one, two, one, two].map((agent) => agent.run(request));
      const texts = await Promise.all(handles.map(async ({ result }) => (await result).text));
      texts.push((await two.run(request).result).text);
      assert.deepEqual([...new Set(texts)], [`hi ${count()}`]);
      assert.equal((await one.runs.events('mine')).filter(({ type }) => type === 'run.ended').length, 1);
      await store.close();
    });
  });

test('an id that cannot name a run is refused', async () => {
  await using agent = agentWith({ top: () => done() });
  for (const id of ['', 'p_1', 'a/b', 'a b', '.a', 'a'.repeat(101), 'ä'])
    assert.equal((await agent.run({ id, skill: 'top' }).result).error?.code, 'usage.bad-input', id);
  await assert.rejects(agent.runs.submit({ id: 'p_1', skill: 'top' }), { code: 'usage.bad-input' });
});
