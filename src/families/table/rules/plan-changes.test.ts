import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { builtTable } from '../../../../test/support/written-table.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { LocalClock } from '../../../engines/values/calendar.ts';
import type { Table, TableRow } from '../table.ts';
import { noProse, type ProseInput, type ProseRules } from './drafts.ts';
import { planAdds, planUpdates, type Planned } from './plan-changes.ts';

const clock: LocalClock = { now: Date.parse('2026-05-31T23:30:00Z'), zone: 'Europe/Berlin' };

function contextFor(table: Table, prose: ProseRules = noProse): Parameters<typeof planAdds>[0] {
  let idCount = 0;
  const makeId = (): string => `00000000-0000-4000-8000-${String(++idCount).padStart(12, '0')}`;
  return { table, prose, clock, makeId };
}

/** Rules in words, as functions of one record. `calls` lists which rule ran on how many records. */
function proseOf(
  rules: Readonly<Record<string, (one: ProseInput) => Json>>,
  calls: string[] = [],
): ProseRules {
  return {
    notEnforced: [],
    has: (kind, name) => Object.hasOwn(rules, `${kind} ${name}`),
    run(kind, name, inputs) {
      calls.push(`${kind} ${name} ${inputs.length}`);
      const rule = rules[`${kind} ${name}`];
      return Promise.resolve(inputs.map((one) => rule?.(one) ?? null));
    },
  };
}

const asText = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const faultsOf = ({ faults }: Planned): readonly string[] =>
  faults.map(({ index, field = '-', message }) => `${index} ${field}: ${message}`);
const rowsOf = ({ changes }: Planned): readonly TableRow[] =>
  changes.map((change) => (change.kind === 'delete' ? change.before : change.after));

const items = builtTable({
  item_id: 'Type: uuid; Primary Key',
  tag: 'Unique; Required',
  quantity: 'Type: integer; Default: 1',
  price: 'Type: decimal',
  total: 'Type: decimal; Derivator: `quantity * price`',
  gross: 'Type: decimal; Derivator: round(total * 1.19, 2)',
  code: 'Derivator: tag + "-" + quantity',
  added_on: 'Type: date; Default: today',
  added_at: 'Type: datetime; Default: now',
  tags: 'Type: array; Default: []',
});

describe('new records', () => {
  test('get their defaults, derived values and keys', async () => {
    const planned = await planAdds(contextFor(items), [{ tag: 'D', price: 0.1, quantity: 3 }, { tag: 'E' }]);
    assert.deepEqual(faultsOf(planned), []);
    const [first, second] = rowsOf(planned);
    assert.deepEqual(first, {
      item_id: '00000000-0000-4000-8000-000000000001',
      tag: 'D',
      quantity: 3,
      price: 0.1,
      total: 0.3,
      gross: 0.36,
      code: 'D-3',
      added_on: '2026-06-01',
      added_at: '2026-05-31T23:30:00.000Z',
      tags: [],
    });
    assert.deepEqual([second?.['quantity'], second?.['total'], second?.['gross']], [1, null, null]);
  });

  test('have no default where they are said to have no value, and an empty text is none', async () => {
    const [row] = rowsOf(await planAdds(contextFor(items), [{ tag: 'D', quantity: null, added_on: '' }]));
    assert.deepEqual([row?.['quantity'], row?.['added_on']], [null, null]);
  });

  test('have their derived values worked out, whatever a file says of them', async () => {
    const planned = await planAdds(contextFor(items), [{ tag: 'D', quantity: 2, price: 4, total: 1 }]);
    assert.deepEqual([rowsOf(planned)[0]?.['total'], faultsOf(planned)], [8, []]);
  });

  test('are one each, also where they have faults', async () => {
    const given: readonly JsonObject[] = [{ tag: '' }, { tag: 'A', quantity: 'x', nothing: 1 }, { tag: 'B' }];
    const planned = await planAdds(contextFor(items), given);
    assert.equal(planned.changes.length, 3);
    assert.deepEqual(faultsOf(planned), [
      '0 tag: tag is required.',
      '1 -: "nothing" is not a field of Items.',
      '1 quantity: quantity "x" is not a whole number.',
    ]);
  });

  test('with a value that the type of a derived field cannot hold are refused', async () => {
    const whole = builtTable({
      id: 'Primary Key',
      a: 'Type: integer',
      half: 'Type: integer; Derivator: a / 2',
    });
    const planned = await planAdds(contextFor(whole), [{ a: 4 }, { a: 3 }]);
    assert.equal(rowsOf(planned)[0]?.['half'], 2);
    assert.equal(planned.faults.length, 1);
    assert.deepEqual([planned.faults[0]?.index, planned.faults[0]?.field], [1, 'half']);
  });

  test('of which two have the same key or unique value are refused', async () => {
    const pairs = builtTable({ a: 'Primary Key: given', b: 'Primary Key: given', c: 'Unique' });
    const given = [
      { a: 'x', b: 'y', c: null },
      { a: 'x', b: 'z', c: null },
      { a: 'x', b: 'y', c: 'q' },
      { a: 'X', b: 'y', c: 'q' },
    ];
    assert.deepEqual(faultsOf(await planAdds(contextFor(pairs), given)), [
      '2 a: a "x", b "y" appears twice in this request: records 1 and 3.',
      '3 c: c "q" appears twice in this request: records 3 and 4.',
    ]);
  });

  test('leave their number to the database unless it is given', async () => {
    const numbered = builtTable({ id: 'Primary Key', name: '' });
    const rows = rowsOf(await planAdds(contextFor(numbered), [{ name: 'a' }, { id: 7, name: 'b' }]));
    assert.deepEqual(rows, [{ name: 'a' }, { id: 7, name: 'b' }]);
  });

  test('must have the key that is to be given', async () => {
    const given = builtTable({ tag: 'Primary Key: given', name: '' });
    assert.deepEqual(faultsOf(await planAdds(contextFor(given), [{ name: 'a' }])), [
      '0 tag: tag is required.',
    ]);
  });

  test('whose default is not a value of its field say so', async () => {
    const odd = builtTable({ id: 'Primary Key', count: 'Type: integer; Default: many' });
    const [fault] = (await planAdds(contextFor(odd), [{}])).faults;
    assert.deepEqual([fault?.field, fault?.index], ['count', 0]);
  });
});

describe('changed records', () => {
  const before: TableRow = {
    item_id: '00000000-0000-4000-8000-000000000009',
    tag: 'D',
    quantity: 3,
    price: 2,
    total: 99,
    gross: 99,
    code: 'D-3',
    added_on: '2020-01-01',
    added_at: null,
    tags: null,
  };

  test('have their derived values worked out again', async () => {
    const planned = await planUpdates(contextFor(items), [before], { price: 5 });
    assert.deepEqual(faultsOf(planned), []);
    assert.deepEqual(planned.changes, [
      { kind: 'update', before, after: { ...before, price: 5, total: 15, gross: 17.85 } },
    ]);
  });

  test('get no defaults, and lose a value that is taken away', async () => {
    const [after] = rowsOf(await planUpdates(contextFor(items), [before], { price: null }));
    assert.deepEqual(after, { ...before, price: null, total: null, gross: null });
  });

  test('keep their keys and are not told what they are worked out from', async () => {
    const set = { item_id: '00000000-0000-4000-8000-000000000001', total: 5 };
    assert.deepEqual(faultsOf(await planUpdates(contextFor(items), [before], set)), [
      '0 item_id: item_id identifies the record and cannot be changed.',
      '0 total: total is computed from other fields and cannot be set.',
    ]);
    const same = { item_id: before['item_id'] ?? null, quantity: 4 };
    assert.deepEqual(faultsOf(await planUpdates(contextFor(items), [before], same)), []);
  });

  test('are held only against the rules that the change involves', async () => {
    const old = { ...before, tag: null, code: null };
    assert.deepEqual(faultsOf(await planUpdates(contextFor(items), [old], { price: 5 })), []);
    assert.deepEqual(faultsOf(await planUpdates(contextFor(items), [before], { tag: '' })), [
      '0 tag: tag is required.',
    ]);
  });

  test('cannot all have the same unique value', async () => {
    const others = [before, { ...before, item_id: 'b', tag: 'E', code: 'E-3' }];
    const faults = faultsOf(await planUpdates(contextFor(items), others, { tag: 'F' }));
    assert.deepEqual(faults, ['1 tag: tag "F" appears twice in this request: records 1 and 2.']);
    assert.deepEqual(faultsOf(await planUpdates(contextFor(items), others, { quantity: 1 })), []);
  });
});

describe('rules in words', () => {
  const table = builtTable(
    {
      code: 'Primary Key: the first letter of the name and a dash and the area',
      name: 'Validator: No shouting.; Resolver: Reads names.',
      area: 'Enumerator: The areas that there are.',
      size: 'Type: integer; Derivator: how long the name is, roughly',
      twice: 'Type: integer; Derivator: size * 2',
      note: 'Required: whenever the name sounds odd',
    },
    '## Business Rules\n\n- Names and areas go well together.\n',
  );
  const rules = {
    'resolve name': ({ value }: ProseInput) => asText(value).replace(/^the /i, ''),
    'derive size': ({ record }: ProseInput) => asText(record['name']).length,
    'key code': ({ record }: ProseInput) => `${asText(record['name'])[0] ?? ''}-${asText(record['area'])}`,
    'enumerate area': () => ['North', 'South'],
    'require note': ({ record }: ProseInput) => record['name'] === 'Odd',
    'validate name': ({ value }: ProseInput) => (/^[A-Z]+$/.test(asText(value)) ? 'do not shout' : null),
    'rule 1': ({ record, value }: ProseInput) =>
      record['name'] === 'Bad' ? `They do not${value === null ? '' : ' now'}.` : null,
  };

  test('fill and check new records, each on all of them at once', async () => {
    const calls: string[] = [];
    const given = ['the Drill', 'Saw', 'HAMMER', 'Odd', 'Bad'].map((name) => ({ name, area: 'north' }));
    const planned = await planAdds(contextFor(table, proseOf(rules, calls)), given);
    assert.deepEqual(rowsOf(planned)[0], {
      code: 'D-north',
      name: 'Drill',
      area: 'North',
      size: 5,
      twice: 10,
      note: null,
    });
    assert.deepEqual(faultsOf(planned), [
      '2 name: name "HAMMER": do not shout',
      '3 note: note is required: whenever the name sounds odd.',
      '4 -: They do not.',
    ]);
    assert.deepEqual(calls, [
      ...['resolve name 5', 'derive size 5', 'key code 5', 'enumerate area 5'],
      ...['require note 5', 'validate name 5', 'rule 1 5'],
    ]);
  });

  test('refuse a value that is none of those that code lists', async () => {
    const planned = await planAdds(contextFor(table, proseOf(rules)), [{ name: 'Saw', area: 'West' }]);
    assert.deepEqual(faultsOf(planned), ['0 area: area "West" is not one of the allowed values.']);
  });

  test('are not run on records that break native ones', async () => {
    const calls: string[] = [];
    await planAdds(contextFor(table, proseOf(rules, calls)), [
      { name: 'Saw', area: 'North', twice: 1, size: 'x' },
    ]);
    assert.deepEqual(calls, ['resolve name 1']);
  });

  test('that failed before do not block other changes, but what a change breaks does', async () => {
    const row = { code: 'X', name: 'ODD', area: 'North', size: 3, twice: 6, note: null };
    const context = contextFor(table, proseOf(rules));
    assert.deepEqual(faultsOf(await planUpdates(context, [row], { note: 'x' })), []);
    assert.deepEqual(faultsOf(await planUpdates(context, [row], { name: 'SAW' })), [
      '0 name: name "SAW": do not shout',
    ]);
    assert.deepEqual(faultsOf(await planUpdates(context, [row], { name: 'Odd' })), [
      '0 note: note is required: whenever the name sounds odd.',
    ]);
    assert.deepEqual(faultsOf(await planUpdates(context, [row], { name: 'Bad' })), ['0 -: They do not now.']);
  });

  test('of which there is no code are not held to, and a key that they make must be given', async () => {
    const context = contextFor(table);
    const planned = await planAdds(context, [
      { name: 'HAMMER', area: 'West' },
      { code: 'H', name: 'HAMMER' },
    ]);
    assert.deepEqual(faultsOf(planned), [
      '0 code: code must be provided because the prose rule that generates it has no code.',
    ]);
  });

  test('whose code fails refuse everything', async () => {
    const failing = { ...proseOf(rules), run: () => Promise.reject(new Error('No.')) };
    await assert.rejects(planAdds(contextFor(table, failing), [{ name: 'Saw' }]), /^Error: No\.$/);
  });
});
