import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asked, tableStage } from '../../../../test/support/table-stage.ts';
import type { JsonObject } from '../../../core/json.ts';

const tools = Array.from({ length: 45 }, (_value, index) => ({
  tag: `T-${100 + index}`,
  name: `Tool ${index}`,
  status: index % 3 === 0 ? 'faulty' : 'ok',
  ...(index % 5 === 0 ? {} : { price: index }),
}));

describe('a list', () => {
  test('comes in pages that can be turned in the session, and always gives the total', async () => {
    await using on = tableStage();
    await on.fill(tools);
    const first = await on.ask('list tools where status is not faulty');
    assert.match(first.text, /\nRecords 1 to 20 of 30 in Tools\. Say "next" for more\.$/);
    const value = first.value as JsonObject;
    assert.deepEqual(
      [value['operation'], value['total'], value['offset'], value['limit']],
      ['list', 30, 0, 20],
    );
    assert.equal((value['records'] as readonly JsonObject[]).length, 20);
    assert.match((await on.ask('tools next')).text, /\nRecords 21 to 30 of 30 in Tools\.$/);
    assert.match((await on.ask('next')).text, /^There are 30 records, but none on this page\./);
    assert.match((await on.ask('previous')).text, /\nRecords 21 to 30 of 30/);
    assert.match((await on.ask('back')).text, /\nRecords 1 to 20 of 30/);
    assert.match((await on.ask('previous')).text, /already the first page/);
    assert.equal((await on.ask('next', { session: 'b' })).error?.code, 'usage.bad-input');
  });

  test('is an aligned table, in the order and with the fields that were asked for', async () => {
    await using on = tableStage();
    await on.fill([
      { tag: 'A-1', name: 'Axe', price: 7.5 },
      { tag: 'B-1', name: 'Big\nbore' },
      { tag: 'C-1', name: 'Cutter', price: 120 },
    ]);
    const { text, value } = await on.call({
      operation: 'list',
      fields: ['name', 'price'],
      sort: [{ field: 'price', direction: 'down' }],
    });
    assert.deepEqual(text.split('\n'), [
      'name       price',
      '---------  -----',
      'Cutter       120',
      'Axe          7.5',
      'Big\\nbore      —',
      '3 records of Tools.',
    ]);
    assert.deepEqual((value as JsonObject)['records'], [
      { name: 'Cutter', price: 120 },
      { name: 'Axe', price: 7.5 },
      { name: 'Big\nbore', price: null },
    ]);
  });

  test('says what to do where there is nothing', async () => {
    await using on = tableStage();
    assert.equal((await on.ask('list tools')).text, 'Tools has no records yet. Say "add Tools" to add one.');
    await on.fill([{ tag: 'A-1', name: 'Axe' }]);
    assert.equal(
      (await on.ask('list tools where price > 5 and status is faulty')).text,
      'Tools has no records where price is over 5 and status is faulty. Say "list" to see all.',
    );
  });

  test('of values too large to keep is shortened, and says which fields are', async () => {
    await using on = tableStage();
    for (const tag of ['L-1', 'L-2', 'L-3']) await on.fill([{ tag, name: tag.repeat(600_000) }]);
    const { value, text } = await on.ask('list tools');
    assert.deepEqual((value as JsonObject)['cut'], ['name']);
    assert.ok(text.length < 1_000);
    const one = await on.ask('show L-2');
    assert.equal(((one.value as JsonObject)['record'] as JsonObject)['name'], 'L-2'.repeat(600_000));
  });
});

describe('one record', () => {
  test('is shown with all of its fields', async () => {
    await using on = tableStage();
    await on.fill([{ tag: 'A-1', name: 'Axe', price: 2, quantity: 3 }]);
    const { text, value } = await on.ask('show A-1');
    assert.match(
      text,
      /^tag: +A-1\nname: +Axe\nstatus: +ok\nprice: +2\nquantity: +3\nworth: +6\nbought_on: +—/,
    );
    assert.equal(((value as JsonObject)['record'] as JsonObject)['worth'], 6);
    const none = await on.ask('show A-9');
    assert.equal(none.text, 'Tools has no records where tag is A-9. Say "list" to see all records.');
    assert.deepEqual(none.value, { operation: 'show', record: null });
  });

  test('is chosen where several fit', async () => {
    await using on = tableStage();
    await on.fill([
      { tag: 'A-1', name: 'Axe' },
      { tag: 'A-2', name: 'Axe' },
    ]);
    const several = await on.call({
      operation: 'show',
      where: { field: 'name', is: 'equals', value: 'Axe' },
    });
    assert.match(asked(several), /2 records in Tools match/);
    assert.match((await on.say('2')).text, /^tag: +A-2/);
  });
});

test('counts and aggregates are returned in words and as values', async () => {
  await using on = tableStage();
  await on.fill(tools);
  const cases: readonly (readonly [string, RegExp, JsonObject])[] = [
    ['count tools', /^45 records of Tools\.$/, { operation: 'count', count: 45 }],
    [
      'how many tools where status is faulty',
      /^15 records of Tools where status is faulty\.$/,
      { operation: 'count', count: 15 },
    ],
    ['sum of price', /sum of price of Tools is 810\./, { operation: 'sum', field: 'price', result: 810 }],
    [
      'max price where status is faulty',
      /maximum of price .* is 42\./,
      { operation: 'maximum', field: 'price', result: 42 },
    ],
    [
      'average price where tag = "Z-1"',
      /^No record in Tools where tag is Z-1 has a value for price\.$/,
      { operation: 'average', field: 'price', result: null },
    ],
  ];
  for (const [words, text, value] of cases) {
    const result = await on.ask(words);
    assert.match(result.text, text, words);
    assert.deepEqual(result.value, value, words);
  }
  const { text, value } = await on.ask('count tools by status');
  assert.match(text, /^status +count\n-+ +-+\nok +30\nfaulty +15\n2 groups\.$/);
  assert.deepEqual((value as JsonObject)['groups'], [
    { value: 'ok', result: 30 },
    { value: 'faulty', result: 15 },
  ]);
});

test('groups and lists of values without end are cut and refused', async () => {
  await using on = tableStage();
  await on.fill(Array.from({ length: 1_001 }, (_, index) => ({ tag: `G-${index}`, name: `Gear ${index}` })));
  const { text, value } = await on.ask('count tools by name');
  assert.match(text, /\n1000 of 1,001 groups\.$/);
  const { groups, total } = value as { readonly groups: readonly JsonObject[]; readonly total: number };
  assert.deepEqual([groups.length, total], [1_000, 1_001]);
  const among = { field: 'quantity', is: 'in', value: Array.from({ length: 8_000 }, (_, index) => index) };
  const asked = await on.call({ operation: 'count', where: { any: [among, among, among, among] } });
  assert.equal(asked.error?.code, 'limit.too-large');
});

test('a table describes its fields and the possible requests', async () => {
  await using on = tableStage();
  const { text, value } = await on.ask('help');
  assert.match(
    text,
    /Tools of the workshop[^]*tag +string +key[^]*worth +decimal +derived[^]*You can say:\n- list tools where status is ok/,
  );
  assert.equal(((value as JsonObject)['fields'] as readonly JsonObject[]).length, 8);
});
