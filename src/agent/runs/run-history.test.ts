import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import {
  agentWith,
  done,
  hang,
  ofType,
  settled,
  textOf,
  until,
  type Run,
} from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import type { RunEvent } from '../../core/event.ts';
import { processOwner } from '../process-owner.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { openSqliteStore } from '../../stores/sqlite/store.ts';

const asks: Run = async (_input, scope) => done(textOf(await scope.ask('x')));

async function read(events: AsyncIterable<RunEvent>): Promise<readonly string[]> {
  const received: string[] = [];
  for await (const event of events) received.push(event.type);
  return received;
}

describe('the runs of an agent', () => {
  test('that start within a millisecond are listed in the order of their starts', async () => {
    await using agent = agentWith({ top: () => done() });
    const ids: string[] = [];
    for (let count = 0; count < 50; count += 1) {
      const run = agent.run({ skill: 'top' });
      ids.unshift(run.id);
      await run.result;
    }
    assert.deepEqual(
      (await agent.runs.list({ limit: 50 })).map(({ id }) => id),
      ids,
    );
  });

  test(
    'whose process is dead are interrupted at once, in every listing',
    { skip: process.platform !== 'linux' },
    async () => {
      using folder = tree({ '.git/HEAD': '' });
      const location = folder.at('runs.db');
      const store = await openSqliteStore(location);
      const { pid } = spawnSync(process.execPath, ['--version']);
      const dead = processOwner().replace(/^\d+/, String(pid));
      await store.claim('r_dead', dead);
      await store.claim('r_alive', processOwner());
      await using agent = agentWith({}, { store: location });
      const statusOf = async (id: string) => (await agent.runs.find(id)).status;
      assert.deepEqual([await statusOf('r_dead'), await statusOf('r_alive')], ['interrupted', 'running']);
      assert.equal((await agent.runs.result('r_dead')).status, 'interrupted');
      await store.claim('r_dead', dead);
      const listed = async (status: 'running' | 'interrupted') =>
        (await agent.runs.list({ status: [status] })).map(({ id }) => id);
      assert.deepEqual([await listed('running'), await listed('interrupted')], [['r_alive'], ['r_dead']]);
      await store.close();
    },
  );

  test('are listed newest first and found by the beginning of their id', async () => {
    await using agent = agentWith({ top: () => done(), asks });
    const first = agent.run({ skill: 'top', input: { prompt: 'hello' }, session: 's' });
    await first.result;
    const second = agent.run({ skill: 'asks' });
    await second.result;
    assert.deepEqual(
      (await agent.runs.list()).map(({ id, status }) => [id, status]),
      [
        [second.id, 'waiting'],
        [first.id, 'done'],
      ],
    );
    assert.deepEqual(
      (await agent.runs.list({ status: ['waiting'] })).map(({ id }) => id),
      [second.id],
    );
    assert.deepEqual(
      (await agent.runs.list({ session: 's' })).map(({ title }) => title),
      ['hello'],
    );
    assert.equal((await agent.runs.find(first.id.slice(0, 12))).id, first.id);
    for (const id of ['', 'r_nothing', 'r_'])
      await assert.rejects(agent.runs.find(id), { code: 'usage.not-found' }, id);
  });

  test('are followed from their first event to their end', async () => {
    const release = Promise.withResolvers<number>();
    await using agent = agentWith({
      top: async (_input, scope) => done('', await scope.step('s', () => release.promise)),
    });
    const run = agent.run({ skill: 'top' });
    await until(async () => ofType(await agent.runs.events(run.id), 'step.started').length === 1);
    const followed = read(agent.runs.follow(run.id));
    release.resolve(1);
    const types = (await settled(followed)).join(' ');
    await run.result;
    assert.equal(types, (await agent.runs.events(run.id)).map(({ type }) => type).join(' '));
    assert.deepEqual(await settled(read(agent.runs.follow('r_nothing'))), []);
  });

  test('are followed to where they wait', async () => {
    await using agent = agentWith({ asks });
    const run = agent.run({ skill: 'asks' });
    await run.result;
    assert.equal((await settled(read(agent.runs.follow(run.id)))).at(-1), 'run.waiting');
  });

  test('are followed no longer when they are gone', async () => {
    await using agent = agentWith({ top: () => hang() });
    const run = agent.run({ skill: 'top' });
    await until(async () => ofType(await agent.runs.events(run.id), 'frame.started').length === 1);
    const following = agent.runs.follow(run.id);
    for (let count = 0; count < 3; count++) await following.next();
    await agent.runs.cancel(run.id);
    await agent.runs.remove(run.id);
    assert.equal((await settled(following.next(), 'the follower')).done, true);
  });

  test('are forgotten, but not while they continue', async () => {
    await using agent = agentWith({ top: () => hang(), asks });
    const run = agent.run({ skill: 'top' });
    await until(async () => ofType(await agent.runs.events(run.id), 'frame.started').length === 1);
    await assert.rejects(agent.runs.remove(run.id), { code: 'usage.bad-input' });
    await run.cancel();
    const waits = agent.run({ skill: 'asks' });
    await waits.result;
    assert.equal(await agent.runs.remove(run.id, waits.id, 'r_nothing'), 2);
    assert.deepEqual(await agent.runs.list(), []);
  });

  test('report their outcomes', async () => {
    await using agent = agentWith({ top: () => done('t', [1]), asks });
    const run = agent.run({ skill: 'top' });
    assert.deepEqual(await run.result, await agent.runs.result(run.id));
    const waits = agent.run({ skill: 'asks' });
    assert.deepEqual(await waits.result, await agent.runs.result(waits.id));
  });

  test('say nothing of a run that does not exist', async () => {
    await using agent = agentWith({ asks });
    await assert.rejects(agent.runs.result('r_nothing'), { code: 'usage.not-found' });
  });

  test('are forgotten with the answers that no one used', async () => {
    const store = createMemoryStore();
    await using agent = agentWith({ asks }, { store });
    const [first, second] = [agent.run({ skill: 'asks' }), agent.run({ skill: 'asks' })];
    for (const run of [first, second]) {
      await run.result;
      await agent.runs.answer(run.id, 'private');
      assert.equal((await store.entries(`answers/${run.id}`)).size, 1);
    }
    await agent.runs.remove(first.id);
    assert.equal((await store.entries(`answers/${first.id}`)).size, 0);
    assert.equal((await store.entries(`answers/${second.id}`)).size, 1);
  });
});
