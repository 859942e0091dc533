import assert from 'node:assert/strict';
import type { Json } from '../../../src/core/json.ts';
import type { RunResult } from '../../../src/core/run.ts';
import type { SafetyCase } from '../case.ts';

const descriptor = `# Items Skill

## Table Purpose

Things that are kept.

## Fields

### id; DROP TABLE items

Is named like a statement.

### code

Identifies a thing.

#### Type: varchar(200)

#### Primary Key

### name

What people call it.
`;

const values = [
  "' OR 1=1 --",
  "x'; DROP TABLE items; --",
  '") or ("1"="1',
  "'||(select group_concat(name) from items)||'",
  '%',
  '_____',
  '\\',
  "' union select * from sqlite_master --",
  '$1',
  ':code',
  '?',
];

const fields = ['id; DROP TABLE t', 'code" or "1"="1', 'rowid', 'sqlite_master', '1=1', "name' --"];

/** Records. Their values never become part of a statement. */
export const tableCases: readonly SafetyCase[] = [
  {
    id: 'P30',
    what: 'values and fields of a table are not SQL',
    async run(stage) {
      stage.write('.agents/skills/items/tskill.md', descriptor);
      stage.settle();
      await using agent = stage.agent({ database: stage.at('items.db') });
      const ask = (input: Json): Promise<RunResult> => agent.run({ skill: 'items', input }).result;
      const records = [
        { code: 'a' },
        { code: 'b', name: 'plain' },
        ...values.map((name) => ({ code: name, name })),
      ];
      const added = await ask({ operation: 'add', records, confirm: false });
      assert.equal(added.status, 'done', added.text);

      for (const value of values) {
        for (const is of ['equals', 'contains', 'starts-with', 'ends-with', 'in']) {
          const where = { field: 'name', is, value: is === 'in' ? [value] : value };
          const found = await ask({ operation: 'list', where });
          const expected = values.filter((name) =>
            is === 'equals' || is === 'in' ? name === value : meets(is, name, value),
          );
          assert.deepEqual(codesIn(found), expected.sort(), `${is} ${value}`);
        }
        const listed = await ask(`list items where name is ${JSON.stringify(value)}`);
        assert.deepEqual(codesIn(listed), [value], value);
      }
      for (const field of fields) {
        const answers = [
          await ask({ operation: 'list', where: { field, is: 'equals', value: 'x' } }),
          await ask({ operation: 'list', sort: [{ field, direction: 'up' }] }),
          await ask({ operation: 'group', by: field, measure: 'count' }),
          await ask({ operation: 'update', set: { [field]: 'x' }, many: true, confirm: false }),
          await ask({ operation: 'add', records: [{ code: 'new', [field]: 'x' }], confirm: false }),
        ];
        for (const { status, error } of answers)
          assert.deepEqual([status, error?.code], ['failed', 'usage.bad-input'], field);
      }
      // A stored text stays a text when a later change uses it again.
      for (const value of values) {
        const set = { 'id; DROP TABLE items': value };
        const changed = await ask({
          operation: 'update',
          where: { field: 'code', is: 'equals', value },
          set,
          confirm: false,
        });
        assert.equal(changed.status, 'done', changed.text);
      }
      const grouped = await ask({ operation: 'group', by: 'id; DROP TABLE items', measure: 'count' });
      assert.equal(grouped.status, 'done', grouped.text);
      const counted = await ask({ operation: 'count' });
      assert.match(counted.text, new RegExp(`\\b${records.length}\\b`));
      return undefined;
    },
  },
];

function codesIn({ status, value, text }: RunResult): readonly string[] {
  assert.equal(status, 'done', text);
  const { records } = value as unknown as { readonly records: readonly { readonly code: string }[] };
  return records.map(({ code }) => code).sort();
}

function meets(is: string, name: string, part: string): boolean {
  if (is === 'contains') return name.includes(part);
  return is === 'starts-with' ? name.startsWith(part) : name.endsWith(part);
}
