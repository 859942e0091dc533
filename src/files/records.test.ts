import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { readCommaNumber, guardCell, quoteCell, readCsv, unguardCell } from './csv.ts';
import { hasRepeats, readJsonRecords } from './json-records.ts';
import { openFile } from './open-file.ts';
import { readPieces } from './text-pieces.ts';

/** Calls a reader with the pieces of a file with this content. */
async function withFile<Value>(
  content: string | Uint8Array,
  read: (pieces: AsyncGenerator<Buffer>) => Promise<Value>,
): Promise<Value> {
  using folder = tree({ file: content });
  using file = openFile({ workspace: folder.path }, 'file');
  return await read(readPieces(file, createHash('sha256'), new AbortController().signal));
}

async function rowsOf(content: string | Uint8Array): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  await withFile(content, (pieces) =>
    readCsv(pieces, 'file', (cells, line, separator) => rows.push([line, ...cells, separator])),
  );
  return rows;
}

describe('CSV', () => {
  test('is read row by row, each with its line and the separator of the file', async () => {
    assert.deepEqual(await rowsOf('a;b\r\n\r\n"x\r\ny";2\n3;4'), [
      [1, 'a', 'b', ';'],
      [3, 'x\r\ny', '2', ';'],
      [5, '3', '4', ';'],
    ]);
  });

  test('in UTF-16 is read like UTF-8', async () => {
    assert.deepEqual(await rowsOf(Buffer.from('\ufeffa,ü\n', 'utf16le')), [[1, 'a', 'ü', ',']]);
  });

  test('that is not text is refused with the line', async () => {
    const bytes = Buffer.from('a,b\n1,ü\n', 'latin1');
    await assert.rejects(rowsOf(bytes), { code: 'usage.bad-input', details: { line: 2 } });
  });

  test('has cells that spreadsheets do not run, and that are read back', () => {
    for (const text of ['=1+1', "'=x", '@a', 'plain', "'quoted'"])
      assert.equal(unguardCell(guardCell(text)), text);
    assert.equal(guardCell('=1+1'), "'=1+1");
    assert.equal(quoteCell('a"b,c'), '"a""b,c"');
    assert.equal(readCommaNumber('1.234,50'), '1234.50');
    assert.deepEqual(readCommaNumber('1,500'), ['1500', '1.5']);
  });
});

describe('JSON', () => {
  for (const [what, content] of [
    ['a list', '[\n{"a": 1},\n {"a": "]"}\n]'],
    ['lines', '\n{"a": 1}\n{"a": "]"}\n'],
  ] as const) {
    test(`in ${what} is read value by value, with its line`, async () => {
      const values: unknown[] = [];
      await withFile(content, (pieces) =>
        readJsonRecords(pieces, 'file', (value, line) => values.push([value, line])),
      );
      assert.deepEqual(values, [
        [{ a: 1 }, 2],
        [{ a: ']' }, 3],
      ]);
    });
  }

  test('keeps large integers as text, and repeated members are found', async () => {
    await withFile('[{"a": 12345678901234567890}]', (pieces) =>
      readJsonRecords(pieces, 'file', (value) => {
        assert.deepEqual(value, { a: '12345678901234567890' });
      }),
    );
    assert.ok(hasRepeats('{"a": 1, "a": {"a": 2}}', { a: { a: 2 } }));
    assert.ok(!hasRepeats('{"a": {"a": 2}}', { a: { a: 2 } }));
  });
});
