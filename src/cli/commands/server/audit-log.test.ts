import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome, linesOf } from '../../../../test/support/command.ts';
import { agentWith, done, type Run } from '../../../../test/support/kernel.ts';
import { tree } from '../../../../test/support/tree.ts';
import { createKeyStore } from '../../../server/keys/key-store.ts';
import { openSqliteStore } from '../../../stores/sqlite/store.ts';

leaveHome();

const asks: Run = async (_input, scope) => done('', await scope.ask('Well?'));
const files = tree({ '.git/HEAD': '' });
let keyId = '';

before(async () => {
  // The command line creates the store, so that it belongs to the user.
  assert.equal((await call(['keys', 'add', 'web', '--user', 'anna', '--cwd', files.path])).code, 0);
  const store = await openSqliteStore(files.at('.skilled/skilled.db'));
  keyId = (await createKeyStore(store).list())[0]?.id ?? '';
  await using agent = agentWith({ asks }, { store });
  const user = { id: 'anna' };
  const asked = await agent.run({ skill: 'asks', user, client: keyId }).result;
  await agent.runs.answer(asked.runId, 'yes', undefined, { user: 'ben', client: 'gone' });
  await agent.runs.resume(asked.runId).result;
  const cancelled = await agent.run({ skill: 'asks' }).result;
  await agent.runs.cancel(cancelled.runId, 'Enough.', { user: 'anna', client: keyId });
  await agent.shutdown();
  await store.close();
});

after(() => files[Symbol.dispose]());

async function linesFor(...args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const ended = await call(['audit-log', '--cwd', files.path, ...args]);
  assert.equal(ended.code, 0, ended.err);
  return ended.out === '' ? [] : linesOf(ended);
}

describe('audit-log', () => {
  test('says who asked, answered and cancelled, the newest run first', async () => {
    const lines = await linesFor();
    assert.deepEqual(
      lines.map(({ action, key, skill, reason }) => [action, key, skill, reason]),
      [
        ['asked', undefined, 'asks', undefined],
        ['cancelled', 'web', undefined, 'Enough.'],
        ['asked', 'web', 'asks', undefined],
        ['answered', 'gone', undefined, undefined],
      ],
    );
    assert.deepEqual(
      [lines[0]?.['user'], lines[1]?.['user'], lines[2]?.['user']],
      [undefined, 'anna', 'anna'],
    );
    assert.notEqual(lines[3]?.['user'], 'ben'); // Only the owners of keys are known by name.
    assert.deepEqual(documentOf(await call(['audit-log', '--json', '--cwd', files.path]))['entries'], lines);
  });

  test('can be filtered by user and time', async () => {
    const actions = async (...args: readonly string[]) =>
      (await linesFor(...args)).map(({ action }) => action);
    assert.deepEqual(await actions('--user', 'anna'), ['cancelled', 'asked']);
    assert.deepEqual(await actions('--user', 'ben'), ['answered']);
    assert.deepEqual(await actions('--user', 'carl'), []);
    assert.equal((await actions('--since', '2020-01-01')).length, 4);
    assert.deepEqual(await actions('--until', '2020-01-01T08:00:00Z'), []);
    assert.deepEqual(await actions('--since', '2999-01-01'), []);
  });

  test('is empty without a store, and refuses what is not a time', async () => {
    using empty = tree({ '.git/HEAD': '' });
    assert.deepEqual(await call(['audit-log', '--cwd', empty.path]).then(({ code, out }) => [code, out]), [
      0,
      '',
    ]);
    for (const time of ['yesterday', '2026-13-01', '2026-11-01T08:00:00']) {
      const ended = await call(['audit-log', '--since', time, '--json', '--cwd', files.path]);
      assert.equal(errorIn(ended).code, 'usage.bad-input', time);
    }
  });
});
