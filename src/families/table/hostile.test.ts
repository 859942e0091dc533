import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onBothDatabases } from '../../../test/support/new-databases.ts';
import { tableStage, type TableStage } from '../../../test/support/table-stage.ts';
import { tableText } from '../../../test/support/written-table.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RunResult } from '../../core/run.ts';

const key = 'Type: string; Primary Key: given';
const policy = (role: string): string => `## Role Access Policy\n\n- Read: ${role}\n- Write: ${role}\n`;
const inTable = (name: string): string => `## Database Table\n\n${name}\n`;
const titled = (title: string, fields: Readonly<Record<string, string>>, more = ''): string =>
  tableText(fields, more).replace('# Items', `# ${title}`);

function add(stage: TableStage, record: JsonObject, skill?: string, roles?: readonly string[]) {
  const input = { operation: 'add', records: [record], confirm: false };
  return stage.call(input, { ...(skill === undefined ? {} : { skill }), ...(roles && { user: { roles } }) });
}

function remove(stage: TableStage, code: string, skill?: string): Promise<RunResult> {
  const where = { field: 'code', is: 'equals', value: code };
  return stage.call({ operation: 'delete', where, confirm: false }, skill === undefined ? {} : { skill });
}

const build = (stage: TableStage, roles: readonly string[]): Promise<RunResult> =>
  stage.agent.run({ skill: 'items', mode: 'build', session: 'b', user: { roles } }).result;

await onBothDatabases((open, kind) => {
  describe('the role policy of a table', () => {
    test('holds whatever a second file calls the table, and what it says tells nothing of the records', async () => {
      await using at = await open();
      const fields = { code: key, pin: '' };
      await using own = tableStage({
        tables: { staff: titled('Staff', fields, policy('Boss')) },
        database: at.location,
      });
      for (const code of ['a', 'b']) assert.ok((await add(own, { code, pin: '4711' }, 'staff', ['Boss'])).ok);
      const schema = at.location.split('%3D').at(-1) ?? '';
      const names = kind === 'sqlite' ? ['staff', 'STAFF', 'Staff'] : ['staff', `${schema}.staff`];
      for (const name of names)
        for (const pin of ['', 'Unique', 'Type: date']) {
          const text = tableText({ code: key, pin }, inTable(name));
          await using other = tableStage({ tables: { items: text }, database: at.location });
          const { error } = await other.ask('list items');
          assert.equal(error?.code, 'skill.unavailable', `${name} ${pin}`);
          assert.match(error.message, /role policy .* grants more than was approved/);
          assert.doesNotMatch(JSON.stringify([error, await build(other, [])]), /4711/);
        }
    });

    test('can be widened only by those who may already write', async () => {
      await using at = await open();
      const text = (role: string): string => tableText({ code: key }, policy(role));
      await using own = tableStage({ tables: { items: text('Boss') }, database: at.location });
      assert.ok((await add(own, { code: 'a' }, 'items', ['Boss'])).ok);
      await using wider = tableStage({ tables: { items: text('Boss, Guest') }, database: at.location });
      assert.equal((await build(wider, ['Guest'])).error?.code, 'policy.denied');
      const asking = await build(wider, ['boss']);
      assert.match(asking.question?.text ?? '', /grants more than was approved/);
      await wider.agent.runs.answer(asking.runId, 'yes');
      assert.ok((await wider.agent.runs.resume(asking.runId).result).ok);
      assert.ok((await wider.ask('list items', { user: { roles: ['Guest'] } })).ok);
    });
  });

  test('tables that only differ by their name in the database are not taken for each other', async () => {
    await using at = await open();
    const tables = Object.fromEntries(
      ['one', 'two'].map((name) => [name, tableText({ code: key }, inTable(name))]),
    );
    await using stage = tableStage({ tables, database: at.location });
    assert.ok((await add(stage, { code: 'a' }, 'one')).ok);
    assert.deepEqual(await stage.rows('two'), []);
    const long = 'x'.repeat(100);
    const [restricted, open_] = [policy('Boss'), ''].map((more) =>
      tableText({ code: key }, inTable(long) + more),
    );
    await using first = tableStage({ tables: { items: restricted ?? '' }, database: at.location });
    assert.ok((await add(first, { code: 'a' }, 'items', ['Boss'])).ok);
    await using second = tableStage({ tables: { items: open_ ?? '' }, database: at.location });
    assert.equal((await second.ask('list items')).error?.code, 'skill.unavailable');
  });

  describe('a record that others refer to', () => {
    test('stays, whatever name of the table they use', async () => {
      await using at = await open();
      const link = (to: string): string => `## Relationships\n\n- Foreign: what\n- Reference: ${to}\n`;
      const tables = {
        gear: titled('Gear', { code: key }, inTable('equipment')),
        machines: titled('Machines', { code: key }, inTable('equipment')),
        loans: titled('Loans', { id: 'Type: integer; Primary Key', what: '' }, link('gear.code')),
      };
      await using stage = tableStage({ tables, database: at.location });
      assert.ok((await add(stage, { code: 'a' })).ok);
      assert.ok((await add(stage, { what: 'a' }, 'loans')).ok);
      for (const skill of ['gear', 'machines'])
        assert.match(
          (await remove(stage, 'a', skill)).text,
          /cannot be deleted because Loans refers to it/,
          skill,
        );
    });

    test('stays where only the database knows of it, and goes with those of its own table that go as well', async () => {
      await using at = await open();
      const cascade = 'references items (code) on delete cascade';
      await at.run(`create table items (code varchar(9) primary key, above varchar(9) ${cascade})`);
      await at.run(`create table notes (code varchar(9) primary key, item varchar(9) ${cascade})`);
      for (const [code, above] of [
        ['a', null],
        ['b', 'a'],
        ['c', null],
      ] as const)
        await at.run('insert into items values (?, ?)', code, above);
      await at.run("insert into notes values ('n', 'c')");
      const tables = {
        items: tableText({ code: key, above: '' }),
        notes: titled('Notes', { code: key, item: '' }),
      };
      await using stage = tableStage({ tables, database: at.location });
      assert.match((await remove(stage, 'a')).text, /"a" cannot be deleted because items refers to it/);
      assert.match((await remove(stage, 'c')).text, /"c" cannot be deleted because notes refers to it/);
      assert.equal((await add(stage, { code: 'm', item: 'nobody' }, 'notes')).error?.code, 'usage.bad-input');
      const where = { field: 'code', is: 'in', value: ['a', 'b'] };
      const both = await stage.call({ operation: 'delete', where, many: true, confirm: false });
      assert.deepEqual([both.ok, (await stage.rows()).length], [true, 1], both.text);
      assert.deepEqual(await at.run('select count(*) as n from notes'), [{ n: 1 }]);
    });
  });

  test('a record that had more than the file knows is not brought back in part', async () => {
    await using at = await open();
    await at.run('create table items (code varchar(9) primary key, unseen varchar(9))');
    await at.run("insert into items values ('a', 'x'), ('b', null)");
    await using stage = tableStage({ tables: { items: tableText({ code: key }) }, database: at.location });
    const gone = await remove(stage, 'a');
    assert.ok(gone.ok && !gone.text.includes('undo'), gone.text);
    const undo = { operation: 'undo', confirm: false };
    assert.match((await stage.call(undo)).text, /cannot be undone/);
    assert.match((await remove(stage, 'b')).text, /Say "undo"/);
    assert.ok((await stage.call(undo)).ok);
    assert.deepEqual(await at.run('select * from items'), [{ code: 'b', unseen: null }]);
  });
});
