import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importText, tableOf } from '../../../../test/support/transfer-stage.ts';
import { isAgentError, type ErrorCode } from '../../../core/error.ts';

const table = tableOf({
  part_id: {},
  name: { label: 'Part name', aliases: ['title'] },
  count: { type: 'integer' },
});
const head = 'part_id,name,count\n';
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

/** A file, and the error for the whole file. */
type Refused = readonly [what: string, content: string | Uint8Array, message: string, code?: ErrorCode];

const csvFiles: readonly Refused[] = [
  ['an unknown column', 'part_id,nmae\n1,x\n', 'In "parts.csv", "nmae" is not a field of Parts.'],
  [
    'several unknown columns',
    'id_of_part,nmae,count\n',
    'In "parts.csv", "id_of_part" and "nmae" are not fields of Parts.',
  ],
  ['data without a head', 'A-1,Bolt,5\n', 'In "parts.csv", "A-1", "Bolt" and "5" are not fields of Parts.'],
  [
    'a column that is there twice',
    'name,count,name\n',
    'Several columns in "parts.csv" refer to name: "name" and "name".',
  ],
  [
    'two columns for one field',
    'Title,count,Part Name\n',
    'Several columns in "parts.csv" refer to name: "Title" and "Part Name".',
  ],
  ['a column without a name', 'part_id,,count\n', 'Column 2 of "parts.csv" has no name.'],
  ['a separator behind the head', 'part_id,name,\n', 'Column 3 of "parts.csv" has no name.'],
  [
    'a quote that is never closed',
    `${head}1,"x,2\n3,y,4\n`,
    'Line 2 of "parts.csv" begins a row with a quote that is never closed.',
  ],
  [
    'something behind a closing quote',
    `${head}1,a,1\n2,"b"c,2\n`,
    'Line 3 of "parts.csv" begins a row with text after a closing quote.',
  ],
  [
    'a quote inside a plain cell',
    `${head}\n1,5" pipe,2\n`,
    'Line 3 of "parts.csv" begins a row with a quote inside an unquoted cell.',
  ],
  ['Latin-1', Buffer.from(`${head}1,Größe,2\n`, 'latin1'), 'Line 2 of "parts.csv" is not valid UTF-8.'],
  [
    'half a character at the end',
    Buffer.concat([Buffer.from(`${head}1,`), Buffer.from('€').subarray(0, 2)]),
    'Line 2 of "parts.csv" is not valid UTF-8.',
  ],
  [
    'damage far inside',
    Buffer.concat([Buffer.from(head + '1,x,2\n'.repeat(50_000)), Buffer.from([0xc3, 0x28])]),
    'Line 50002 of "parts.csv" is not valid UTF-8.',
  ],
  [
    'half a character of UTF-16',
    utf16(`${head}1,\ud800,2\n`),
    'Line 2 of "parts.csv" is not valid UTF-16LE.',
  ],
  ['half of a pair of bytes', utf16(head).subarray(0, -1), 'Line 1 of "parts.csv" is not valid UTF-16LE.'],
  ['UTF-16 without its mark', utf16(head).subarray(2), '"parts.csv" is not a text file: binary file.'],
  ['a spreadsheet', Buffer.from('PK\x03\x04 and more'), '"parts.csv" is not a text file: ZIP archive.'],
  [
    'a row without an end',
    `${head}1,"${'x'.repeat(4_100_000)}",2\n`,
    'The row on line 2 of "parts.csv" is longer than 4,000,000 bytes.',
    'limit.too-large',
  ],
  [
    'separators without an end',
    `${head}${','.repeat(4_300_000)}`,
    'The row on line 2 of "parts.csv" is longer than 4,000,000 bytes.',
    'limit.too-large',
  ],
];

const jsonFiles: readonly Refused[] = [
  [
    'a list that is cut off',
    '[{"part_id":"1"},\n{"part_id":',
    '"parts.json" ends on line 2, before its list is closed.',
  ],
  [
    'a text that is not closed',
    '[{"part_id":"1}]',
    '"parts.json" ends on line 1, before its list is closed.',
  ],
  ['text behind the list', '[]\n{"part_id":"1"}', 'Line 2 of "parts.json" is not valid JSON.'],
  ['a comma behind the last record', '[{"part_id":"1"},\n]', 'Line 2 of "parts.json" is not valid JSON.'],
  ['a comma before the first record', '[,{"part_id":"1"}]', 'Line 1 of "parts.json" is not valid JSON.'],
  ['a record in single quotes', "[{},\n{'part_id':1}]", 'Line 2 of "parts.json" is not valid JSON.'],
  ['brackets that do not match', '[{"part_id":[1}}]', 'Line 1 of "parts.json" is not valid JSON.'],
  [
    'a record that nests too deep',
    `[${'['.repeat(70)}${']'.repeat(70)}]`,
    'Line 1 of "parts.json" is not valid JSON.',
  ],
  ['a number past all numbers', '[{"count":1e999}]', 'Line 1 of "parts.json" is not valid JSON.'],
  [
    'unknown members, all at once',
    '[{"nmae":1},{"cuont":2,"nmae":3}]',
    'In "parts.json", "nmae" and "cuont" are not fields of Parts.',
  ],
  [
    'a record without an end',
    `[{"name":"${'x'.repeat(4_100_000)}`,
    'The record on line 1 of "parts.json" has more than 4,000,000 characters.',
    'limit.too-large',
  ],
];

describe('a file is refused as a whole', () => {
  for (const [file, cases] of [
    ['parts.csv', csvFiles],
    ['parts.json', jsonFiles],
  ] as const) {
    for (const [what, content, message, code = 'usage.bad-input'] of cases) {
      test(`${file}: ${what}`, async () => {
        const thrown: unknown = await importText(table, content, { file }).catch((error: unknown) => error);
        assert.ok(isAgentError(thrown), String(thrown));
        assert.deepEqual([thrown.message, thrown.code], [message, code]);
        assert.match(thrown.hint ?? '', /\.$/);
      });
    }
  }

  test('what is near to unknown names is offered, each with its own', async () => {
    const reading = importText(table, 'part_di,nmae,foo\n');
    const hint =
      'Did you mean "part_id" for "part_di" and "name" for "nmae"? ' +
      'Rename or remove unknown names; the fields are: part_id, name, count.';
    await assert.rejects(reading, { hint, details: { unknown: ['part_di', 'nmae', 'foo'] } });
  });

  test('a file of another table is given up early', async () => {
    const reading = importText(table, head + '1,x,many\n'.repeat(10_001));
    const message =
      '"parts.csv" has more than 10,000 faults. Line 2: "count" must be a whole number, not "many".';
    await assert.rejects(reading, { code: 'usage.bad-input', message });
  });
});

/** Files with the issues of their rows. Rows without a fault are still imported. */
const faultyRows: readonly (readonly [
  what: string,
  file: string,
  content: string,
  faults: readonly string[],
])[] = [
  ['a short row', 'a.csv', `${head}1,x\n2,y,3\n`, ['0 Line 2: there are 2 cells, but the header has 3.']],
  ['a long row', 'a.csv', `${head}2,y,3\n1,x,2,3\n`, ['1 Line 3: there are 4 cells, but the header has 3.']],
  ['one word in a row', 'a.csv', `${head}total\n`, ['0 Line 2: there is 1 cell, but the header has 3.']],
  [
    'a wrong value behind a cell of several lines',
    'a.csv',
    `${head}1,"a\r\nb\nc",2\r\n\r\n2,x,two\r\n`,
    ['1 Line 6: "count" must be a whole number, not "two".'],
  ],
  [
    'several wrong values',
    'a.csv',
    `${head}1,a,x\n2,b,2.5\n`,
    [
      '0 Line 2: "count" must be a whole number, not "x".',
      '1 Line 3: "count" must be a whole number, not "2.5".',
    ],
  ],
  [
    'what is no object',
    'a.json',
    '[\n{},\n7, "x",\nnull, [1]]',
    [
      '1 Line 3: expected an object, but found a number.',
      '2 Line 3: expected an object, but found a string.',
      '3 Line 4: expected an object, but found null.',
      '4 Line 4: expected an object, but found a list.',
    ],
  ],
  [
    'two members for one field',
    'a.json',
    '[{"name":"a","Title":"b"}]',
    ['0 Line 1: several properties refer to name.'],
  ],
  [
    'a member that is there twice',
    'a.json',
    '[{"name":"a","count":1},\n{"name":"a:{","count":1,"name":"b"}]',
    ['1 Line 2: a property appears twice.'],
  ],
  [
    'a line that is no JSON',
    'a.jsonl',
    '{"part_id":"1"}\n\nnonsense\n{"part_id":"2"}\n',
    ['1 Line 3: expected an object, but found invalid or too deeply nested JSON.'],
  ],
  [
    'a number that integer cannot be',
    'a.json',
    '[{"count":9007199254740993}]',
    ['0 Line 1: "count" must be a whole number of at most 15 digits, not "9007199254740993".'],
  ],
];

describe('a row with a fault', () => {
  for (const [what, file, content, expected] of faultyRows) {
    test(what, async () => {
      const { records, faults, lines } = await importText(table, content, { file });
      assert.deepEqual(
        faults.map(({ index, message }) => `${index} ${message}`),
        expected,
      );
      assert.equal(records.length, lines.length);
      for (const { index } of faults) assert.ok(index < records.length);
    });
  }
});
