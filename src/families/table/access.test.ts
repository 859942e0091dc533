import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asked, tableStage, toolsText } from '../../../test/support/table-stage.ts';
import type { JsonObject } from '../../core/json.ts';
import { mayAccess } from './access.ts';

const restricted = `${toolsText}
## Role Access Policy

- Read: Technician, Shift Lead
- Write: Manager
`;

const policy = { read: ['Technician', 'Shift Lead'], write: ['Manager'], notes: [] };

describe('who may read and write', () => {
  test('is decided by roles, without regard to case and blanks around them', () => {
    const cases: readonly (readonly [readonly string[], boolean, boolean])[] = [
      [[], false, false],
      [['technician'], true, false],
      [[' SHIFT LEAD '], true, false],
      [['Shift'], false, false],
      [['Guest', 'manager'], true, true],
      [['Managers'], false, false],
    ];
    for (const [roles, read, write] of cases)
      assert.deepEqual(
        [mayAccess(policy, roles, 'read'), mayAccess(policy, roles, 'write')],
        [read, write],
        String(roles),
      );
    assert.ok(mayAccess(undefined, [], 'write'));
    assert.ok(!mayAccess({ read: [], write: [], notes: [] }, ['Manager'], 'read'));
  });

  test('is checked before anything is read, understood or asked of a model', async () => {
    await using on = tableStage({ tables: { tools: restricted }, script: [] });
    const filled = await on.call(
      { operation: 'add', records: [{ tag: 'D-1', name: 'Drill' }], confirm: false },
      { user: { roles: ['Manager'] } },
    );
    assert.ok(filled.ok, filled.text);
    for (const words of [
      'list tools',
      'show D-1',
      'add tools',
      'delete D-1',
      'what lies around?',
      'list nonsense of',
    ]) {
      const { error, text } = await on.ask(words, { user: { roles: ['Guest'] } });
      assert.equal(error?.code, 'policy.denied', words);
      assert.equal(text, 'You are not allowed to read records in Tools.');
    }
    assert.equal(on.model.requests.length, 0);
  });

  test('lets readers read and writers do both, in words and in members', async () => {
    await using on = tableStage({ tables: { tools: restricted } });
    const add = { operation: 'add', records: [{ tag: 'D-1', name: 'Drill' }], confirm: false };
    assert.equal((await on.call(add, { user: { roles: ['Technician'] } })).error?.code, 'policy.denied');
    assert.ok((await on.call(add, { user: { roles: ['Manager'] } })).ok);
    assert.match((await on.ask('count tools', { user: { roles: ['technician'] } })).text, /^1 record/);
    const denied = await on.ask('delete D-1', { user: { roles: ['Technician'] } });
    assert.deepEqual(
      [denied.error?.code, denied.text],
      ['policy.denied', 'You are not allowed to change records in Tools.'],
    );
    assert.match(asked(await on.ask('delete D-1', { user: { roles: ['Manager'] } })), /^Delete this record/);
  });

  test('is the same below other skills, and is never taken from the input', async () => {
    const caller = {
      run: async (input: JsonObject, scope: { call(name: string, input: JsonObject): Promise<never> }) =>
        scope.call('tools', input),
    };
    await using on = tableStage({ tables: { tools: restricted }, skills: { caller: caller as never } });
    const call = (roles: readonly string[]) =>
      on.agent.run({ skill: 'caller', input: { operation: 'count' }, user: { roles }, session: 'a' }).result;
    assert.equal((await call(['Guest'])).error?.code, 'policy.denied');
    assert.deepEqual((await call(['Technician'])).value, { operation: 'count', count: 0 });
    const claimed = await on.call({ operation: 'count', roles: ['Manager'] }, { user: { roles: [] } });
    assert.equal(claimed.error?.code, 'policy.denied');
  });
});
