import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  clock,
  importText,
  mayAll,
  tableOf,
  tableOfAllTypes,
} from '../../../../test/support/transfer-stage.ts';
import { tree } from '../../../../test/support/tree.ts';
import { createTestScope } from '../../../testing/test-scope.ts';
import { readImport } from './import-records.ts';

const table = tableOf({
  part_id: {},
  name: { label: 'Part name' },
  count: { type: 'integer' },
});
const bolt = { part_id: 'A-1', name: 'Bolt, steel', count: 5 };

describe('what a file holds', () => {
  const bigEndian = Buffer.from('\ufeffpart_id,name,count\nA-1,"Bolt, steel",5\n', 'utf16le').swap16();
  const same: readonly (readonly [what: string, file: string, content: string | Uint8Array])[] = [
    ['commas', 'a.csv', 'part_id,name,count\nA-1,"Bolt, steel",5\n'],
    ['semicolons', 'a.csv', 'part_id;name;count\r\nA-1;Bolt, steel;5\r\n'],
    ['tabs', 'a.tsv', 'part_id\tname\tcount\nA-1\tBolt, steel\t5'],
    ['lines that end with CR', 'a.csv', 'part_id;name;count\rA-1;Bolt, steel;5\r'],
    [
      'separators of another kind in the quotes of the head',
      'a.csv',
      '"part_id";"Part, name";count\nA-1;Bolt, steel;5',
    ],
    ['labels in any spelling, in any order', 'a.csv', 'COUNT,Part Name,Part ID\n5,"Bolt, steel",A-1\n'],
    ['rows without a value', 'a.csv', '\n\npart_id,name,count\n,,\nA-1,"Bolt, steel",5\n\n,,\n'],
    ['a mark in front', 'a.csv', '\ufeffpart_id,name,count\nA-1,"Bolt, steel",5\n'],
    [
      'UTF-16 from a spreadsheet',
      'a.csv',
      Buffer.from('\ufeffpart_id\tname\tcount\nA-1\tBolt, steel\t5\n', 'utf16le'),
    ],
    ['UTF-16, the other way round', 'a.csv', bigEndian],
    ['a list', 'a.json', '[{"part_id":"A-1","name":"Bolt, steel","count":5}]'],
    [
      'a list over many lines',
      'a.json',
      '\n[\n {\n "part_id": "A-1",\n "name": "Bolt, steel", "count": "5"}\n]\n',
    ],
    ['a record in each line', 'a.json', '{"part_id":"A-1","name":"Bolt, steel","count":5}\n'],
    ['a list with a mark in front', 'a.json', '\ufeff[{"part_id":"A-1","name":"Bolt, steel","count":5}]'],
  ];
  for (const [what, file, content] of same) {
    test(what, async () => {
      const tolerant = tableOf({
        part_id: {},
        name: { label: 'Part name', aliases: ['part, name'] },
        count: { type: 'integer' },
      });
      const { records, faults } = await importText(tolerant, content, { file });
      assert.deepEqual([records, faults], [[bolt], []]);
    });
  }

  test('numbers with a comma before the fraction, where semicolons are between them', async () => {
    const prices = tableOf({ part_id: {}, price: { type: 'decimal' } });
    const read = async (cell: string, separator = ';'): Promise<unknown> => {
      const { records, faults } = await importText(
        prices,
        `part_id${separator}price\nA-1${separator}${cell}\n`,
        { file: 'a.csv' },
      );
      return faults[0]?.message ?? records[0]?.['price'];
    };
    for (const [cell, price] of [
      ['99,90', 99.9],
      ['1.234,56', 1234.56],
      ['-0,125', -0.125],
      ['1.234.567', 1_234_567],
      ['12.5', 12.5],
      ['1500', 1500],
    ] as const)
      assert.equal(await read(cell), price, cell);
    for (const cell of ['1.500', '1,500'])
      assert.equal(
        await read(cell),
        `Line 2: "price" cannot be "${cell}", which is ambiguous: write 1500 or 1.5.`,
      );
    assert.equal(await read('"1,500"', ','), 1500);
    assert.match(
      String(await read('"99,90"', ',')),
      /"price" must be a number, with a decimal point, not "99,90"\.$/,
    );
  });

  test('nothing, where there is nothing', async () => {
    for (const file of ['a.csv', 'a.json', 'a.jsonl']) {
      for (const content of ['', '\ufeff', ' \n\n']) {
        if (file === 'a.csv' && content === ' \n\n') continue;
        assert.deepEqual((await importText(table, content, { file })).records, [], `${file} ${content}`);
      }
    }
    assert.deepEqual((await importText(table, 'part_id,name\n')).records, []);
    assert.deepEqual((await importText(table, '[]', { file: 'a.json' })).records, []);
  });

  test('an empty cell is not a value, and a column that is not there says nothing', async () => {
    const { records } = await importText(table, 'part_id,name\nA-1,\n');
    assert.deepEqual(records, [{ part_id: 'A-1', name: null }]);
  });

  test('whole numbers are exact however great they are', async () => {
    const all = tableOfAllTypes();
    const json = await importText(all, '[{"bigint": 9007199254740993, "json": {"n": 1}}]', {
      file: 'a.json',
    });
    assert.deepEqual(json.records, [{ bigint: '9007199254740993', json: { n: 1 } }]);
    const csv = await importText(all, 'bigint\n-9223372036854775808\n');
    assert.deepEqual(csv.records, [{ bigint: '-9223372036854775808' }]);
  });

  test('names that objects have of their own are names like others', async () => {
    const cars = tableOf({ constructor: {}, count: { type: 'json' } });
    const text = '[{"constructor":"Bugatti","count":{"prototype":1,"n":[12345678901234567890]}}]';
    const { records } = await importText(cars, text, { file: 'a.json' });
    assert.deepEqual(records, [{ constructor: 'Bugatti', count: { n: [12345678901234567000] } }]);
    const unknown = importText(table, '[{"__proto__":{"name":"x"}}]', { file: 'a.json' });
    await assert.rejects(unknown, { message: 'In "a.json", "__proto__" is not a field of Parts.' });
  });

  test('a field that says how shown values are read back takes what it is given', async () => {
    const prose = { text: 'The number in brackets.', line: 1 };
    const resolved = tableOf({ part_id: {}, count: { type: 'integer', resolver: prose } });
    const { records, faults } = await importText(resolved, 'part_id,count\nA-1,five (5)\n');
    assert.deepEqual([records, faults], [[{ part_id: 'A-1', count: 'five (5)' }], []]);
  });

  test('the format that is asked for goes before the name', async () => {
    const { records } = await importText(table, 'part_id\nA-1\n', { file: 'parts.txt', format: 'csv' });
    assert.deepEqual(records, [{ part_id: 'A-1' }]);
    await assert.rejects(importText(table, '', { file: 'parts.txt' }), {
      code: 'usage.bad-input',
      message: /format of "parts\.txt"/,
    });
  });
});

describe('reading a file', () => {
  const content = 'part_id,name,count\nA-1,"Bolt, steel",5\n';
  const request = { operation: 'import', file: 'parts.csv' } as const;

  test('a later process reads the same file again, and another one is refused', async () => {
    using files = tree({ 'parts.csv': content });
    const scope = createTestScope({ workspace: files.path, call: mayAll }); // records its steps, as a log does
    const first = await readImport(request, table, scope, clock);
    assert.deepEqual(await readImport(request, table, scope, clock), first);
    const message = '"parts.csv" changed while its import was interrupted; nothing was imported.';
    for (const changed of [content.replace('5', '6'), 'nonsense', '']) {
      writeFileSync(files.at('parts.csv'), changed);
      await assert.rejects(readImport(request, table, scope, clock), { code: 'skill.changed', message });
    }
    files[Symbol.dispose]();
    await assert.rejects(readImport(request, table, scope, clock), { code: 'skill.changed', message });
  });

  test('reports how far it is', async () => {
    const notes: string[] = [];
    const note = (message: string): void => void notes.push(message);
    const rows = Array.from({ length: 45_000 }, (_, index) => `A-${index},x,1`).join('\n');
    const { records } = await importText(table, `part_id,name,count\n${rows}`, {}, { note });
    assert.equal(records.length, 45_000);
    assert.deepEqual(notes, ['Read 20,000 rows of parts.csv.', 'Read 40,000 rows of parts.csv.']);
  });

  test('stops when it has to', async () => {
    const signal = AbortSignal.abort(new Error('It has to stop.'));
    await assert.rejects(importText(table, content, {}, { signal }), { message: 'It has to stop.' });
  });

  test('a run without a workspace has no files', async () => {
    const scope = createTestScope({ call: mayAll });
    await assert.rejects(readImport(request, table, scope, clock), { code: 'usage.bad-input' });
  });
});
