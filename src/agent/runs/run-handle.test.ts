import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  hang,
  ofType,
  settled,
  textOf,
  until,
  type Run,
} from '../../../test/support/kernel.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { Feed } from './run-handle.ts';

const asks: Run = async (_input, scope) => done(textOf(await scope.ask('x')));

async function read(events: AsyncIterable<RunEvent>): Promise<readonly RunEvent[]> {
  const received: RunEvent[] = [];
  for await (const event of events) received.push(event);
  return received;
}

describe('the events of a handle', () => {
  test('are all there for anyone who reads late, twice or after the end', async () => {
    await using agent = agentWith({ top: async (_input, scope) => done('', await scope.step('s', () => 1)) });
    const run = agent.run({ skill: 'top' });
    const early = read(run.events);
    await run.result;
    const stored = await agent.runs.events(run.id);
    assert.deepEqual(await settled(early), stored);
    assert.deepEqual(await settled(read(run.events)), stored);
    assert.deepEqual(await settled(read(run.events)), stored);
    assert.equal(stored.at(-1)?.type, 'run.ended');
  });

  test('end where the run waits, and those of its resumption begin from the first one', async () => {
    await using agent = agentWith({ top: asks });
    const run = agent.run({ skill: 'top' });
    const first = await settled(read(run.events));
    assert.equal(first.at(-1)?.type, 'run.waiting');
    await agent.runs.answer(run.id, 'A');
    const second = await settled(read(agent.runs.resume(run.id).events));
    assert.deepEqual(second, await agent.runs.events(run.id));
    assert.deepEqual(second.slice(0, first.length), first);
  });

  test('end with nothing where nothing begins', async () => {
    await using agent = agentWith({ top: asks });
    assert.deepEqual(
      await settled(read(agent.run({ skill: 'top', signal: AbortSignal.abort() }).events)),
      [],
    );
  });
});

describe('the result of a handle', () => {
  test('is data for every failure, and names the run', async () => {
    await using agent = agentWith({ top: () => done() });
    for (const [request, code] of [
      [{ skill: 'nobody' }, 'skill.not-found'],
      [{ skill: 'top', input: 'x'.repeat(4_000_001) }, 'limit.too-large'],
      [{ skill: 'top', limits: { depth: -1 } }, 'usage.bad-input'],
      [{ skill: 'top', limits: { depth: 0 } }, 'limit.depth'],
    ] as const) {
      const run = agent.run(request);
      const result = await settled(run.result);
      assert.deepEqual(
        [result.ok, result.status, codeOf(result), result.runId],
        [false, 'failed', code, run.id],
      );
      assert.notEqual(result.text, '');
    }
  });

  test('of an unknown skill is in the log', async () => {
    await using agent = agentWith({ top: () => done() });
    const run = agent.run({ skill: 'nobody' });
    await run.result;
    const events = await agent.runs.events(run.id);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['run.started', 'skill.selected', 'call.refused', 'run.ended'],
    );
    assert.equal(ofType(events, 'call.refused')[0]?.frameId, '');
  });

  test('is the outcome of the run, even if the store cannot be read afterwards', async () => {
    const store = createMemoryStore();
    const read: Store['read'] = (runId, from = 1) => {
      if (from > 1) throw new Error('no connection');
      return store.read(runId, from);
    };
    await using agent = agentWith(
      { top: async (_input, scope) => done('ok', await scope.step('s', () => 1)) },
      { store: { ...store, read } },
    );
    const { ok, status, text } = await settled(agent.run({ skill: 'top' }).result);
    assert.deepEqual([ok, status, text], [true, 'done', 'ok']);
  });

  test('of a request without a skill is usage.bad-input', async () => {
    await using agent = agentWith({ top: () => done() });
    for (const request of [{}, { skill: 1 }, { skill: undefined }])
      assert.equal(codeOf(await settled(agent.run(request as never).result)), 'usage.bad-input');
    assert.deepEqual(await agent.runs.list(), []);
  });
});

test('a process that loses a run to another one learns of its end, even if that is written late', async () => {
  const store = createMemoryStore();
  const late: Store = {
    ...store,
    append: async (...given) => {
      await new Promise((resolve) => setTimeout(resolve, 800)); // the loss is noticed before
      return store.append(...given);
    },
  };
  await using first = agentWith({ top: () => hang() }, { store });
  await using second = agentWith({ top: () => hang() }, { store: late });
  const run = first.run({ skill: 'top' });
  await until(async () => (await first.runs.events(run.id)).length > 1);
  await second.runs.cancel(run.id, 'Enough.');
  assert.equal((await settled(run.result)).status, 'cancelled');
});

test('an agent that was shut down before its first run begins none', async () => {
  const agent = agentWith({ top: () => done() });
  await agent.shutdown();
  assert.equal(codeOf(await settled(agent.run({ skill: 'top' }).result)), 'usage.bad-input');
});

async function all<Item>(feed: AsyncIterable<Item>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of feed) items.push(item);
  return items;
}

test('every reader gets every item, whenever it begins to read', async () => {
  const feed = new Feed<number>();
  const early = all(feed);
  feed.push(1);
  const between = all(feed);
  await Promise.resolve();
  feed.push(2);
  feed.end();
  const readers = await settled(Promise.all([early, between, all(feed), all(feed)]));
  assert.deepEqual(readers, [
    [1, 2],
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
});

test('a reader that stops keeps no one from reading', async () => {
  const feed = new Feed<number>();
  feed.push(1);
  for await (const item of feed) {
    assert.equal(item, 1);
    break;
  }
  feed.push(2);
  feed.end();
  assert.deepEqual(await settled(all(feed)), [1, 2]);
});

test('an empty feed ends', async () => {
  const feed = new Feed<number>();
  const reader = all(feed);
  await Promise.resolve();
  feed.end();
  assert.deepEqual(await settled(reader), []);
});
