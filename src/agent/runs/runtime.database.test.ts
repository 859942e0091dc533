import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { agentWith, done, valueOf, yesPolicy, type Run } from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import { openDatabase } from '../../config/storage/open-database.ts';
import type { Grant, Sandbox } from '../../core/sandbox.ts';
import type { Scope } from '../../core/scope.ts';

/** Counts its calls in a table, which it creates if it is missing. Resolves to the count. */
async function count(scope: Scope, location?: string): Promise<number> {
  const database = await scope.resources.database(location);
  return scope.step('count', () =>
    database.write(async (run) => {
      await run({ sql: 'create table if not exists calls (number integer)', parameters: [] });
      await run({ sql: 'insert into calls values (1)', parameters: [] });
      const [row] = await run({ sql: 'select count(*) as calls from calls', parameters: [] });
      return Number(row?.['calls']);
    }),
  );
}

const counting: Run = async (input, scope) =>
  done('', await count(scope, typeof input === 'string' && input !== '' ? input : undefined));

test('all skills of an agent share one database in memory, and those of another agent another one', async () => {
  await using one = agentWith({ first: counting, second: counting });
  await using other = agentWith({ first: counting });
  assert.equal(valueOf(await one.run({ skill: 'first' }).result), 1);
  assert.equal(valueOf(await one.run({ skill: 'second' }).result), 2);
  assert.equal(valueOf(await other.run({ skill: 'first' }).result), 1);
});

test('a file outlives the agent, and is made only when a skill asks for records', async () => {
  using files = tree();
  const database = files.at('records.db');
  for (const number of [1, 2, 3]) {
    await using agent = agentWith({ count: counting, idle: () => done() }, { database });
    await agent.run({ skill: 'idle' }).result;
    if (number === 1) assert.ok(!existsSync(database));
    assert.equal(valueOf(await agent.run({ skill: 'count' }).result), number);
  }
});

test('a skill may name another place, from the workspace on; what is wrong with it fails the call', async () => {
  using files = tree({ 'work/x': '' });
  await using agent = agentWith({ count: counting }, { workspace: files.at('work') });
  assert.equal(valueOf(await agent.run({ skill: 'count', input: 'own.db' }).result), 1);
  assert.equal(valueOf(await agent.run({ skill: 'count', input: 'own.db' }).result), 2);
  assert.equal(valueOf(await agent.run({ skill: 'count' }).result), 1);
  assert.ok(existsSync(files.at('work/own.db')));
  const { error } = await agent.run({ skill: 'count', input: 'env:NO_SUCH_PLACE' }).result;
  assert.equal(error?.code, 'usage.bad-settings');
  assert.match(error.message, /NO_SUCH_PLACE/);
});

test('a database that the caller gave stays open', async () => {
  const database = await openDatabase(undefined);
  for (const number of [1, 2]) {
    await using agent = agentWith({ count: counting }, { database });
    assert.equal(valueOf(await agent.run({ skill: 'count' }).result), number);
  }
  assert.equal((await database.read({ sql: 'select * from calls', parameters: [] })).length, 2);
  await database.close();
});

test('no process of a skill sees the files of a database', async () => {
  using files = tree();
  const grants: Grant[] = [];
  const sandboxes = {
    contains: () => Promise.resolve(true),
    open: (grant: Grant): Promise<Sandbox> => {
      grants.push(grant);
      return Promise.resolve({ close: () => Promise.resolve() } as Sandbox);
    },
  };
  const look: Run = async (_input, scope) => {
    await scope.processes.sandbox();
    return done();
  };
  const path = files.at('records.db');
  const mine = await openDatabase(path);
  for (const [database, hidden] of [
    [path, ['', '-wal', '-shm', '-journal'].map((end) => `${path}${end}`)],
    [mine, ['', '-wal', '-shm', '-journal'].map((end) => `${path}${end}`)],
    ['postgres://db/records', []],
  ] as const) {
    await using agent = agentWith(
      { look },
      { database, workspace: files.path, sandboxes, policy: yesPolicy },
    );
    await agent.run({ skill: 'look' }).result;
    const own = grants.at(-1)?.hide?.filter((file) => !file.startsWith(files.at('.skilled')));
    assert.deepEqual(own, hidden);
    assert.ok(grants.at(-1)?.hide?.includes(files.at('.skilled/skilled.db')), 'whichever store is used');
  }
  await mine.close();
});
