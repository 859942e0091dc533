import assert from 'node:assert/strict';
import { stripVTControlCharacters } from 'node:util';
import { test } from 'node:test';
import type { Terminal } from '../terminal.ts';
import { table, type Cell, type Column } from './table.ts';
import { widthOf } from './text.ts';

const columns: readonly Column[] = [
  { title: 'NAME', most: 10 },
  { title: 'STATUS', most: 8 },
  { title: 'TEXT' },
];

function terminal(width?: number): Terminal {
  return { out: () => undefined, err: () => undefined, progress: () => undefined, width, color: false };
}

function row(...texts: readonly string[]): readonly Cell[] {
  return texts.map((text) => ({ text }));
}

function lines(rows: readonly (readonly Cell[])[], width?: number): readonly string[] {
  return table(columns, rows, terminal(width)).trimEnd().split('\n');
}

test('columns are as wide as they must be', () => {
  assert.deepEqual(lines([row('a', 'ready', 'one'), row('bcd', 'no', 'two')]), [
    'NAME  STATUS  TEXT',
    'a     ready   one',
    'bcd   no      two',
  ]);
});

test('in a pipe nothing is lost, and one long cell does not push the others', () => {
  const long = 'a-very-long-name-indeed';
  assert.deepEqual(lines([row(long, 'ready', 'x'.repeat(300)), row('b', 'ready', 'y')]), [
    'NAME        STATUS  TEXT',
    `${long}  ready   ${'x'.repeat(300)}`,
    'b           ready   y',
  ]);
});

test('on a terminal each row is one line that fits', () => {
  const rows = [
    row('a-very-long-name-indeed', 'needs a, b, c, d, e, f', 'x'.repeat(300)),
    row('数据分析数据分析', 'ready', '数据'.repeat(100)),
    row('👩‍🔧', 'ready', 'short'),
  ];
  for (const width of [24, 40, 80, 200]) {
    const shown = lines(rows, width);
    assert.equal(shown.length, 4);
    for (const line of shown) assert.ok(widthOf(line) <= width, `${width}: ${line}`);
  }
  assert.deepEqual(lines(rows, 40), [
    'NAME        STATUS    TEXT',
    'a-very-lo…  needs a…  xxxxxxxxxxxxxxxxx…',
    '数据分析…   ready     数据数据数据数据…',
    '👩‍🔧          ready     short',
  ]);
});

test('the last column keeps a third of a narrow terminal', () => {
  const wide: readonly Column[] = [{ title: 'A' }, { title: 'B' }, { title: 'C' }];
  const [, line] = table(wide, [row('a'.repeat(60), 'b'.repeat(30), 'c'.repeat(90))], terminal(60)).split(
    '\n',
  );
  assert.ok(/c+…$/.exec(line ?? '')?.[0].length === 20, line);
});

test('paint is put on after the width is known', () => {
  const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
  const rows = [[{ text: 'a' }, { text: 'ready', paint: red }, { text: 'one' }], row('bcd', 'no', 'two')];
  const painted = table(columns, rows, terminal(30));
  assert.ok(painted.includes(`${red('ready ')}  one`));
  assert.equal(
    stripVTControlCharacters(painted),
    table(columns, [row('a', 'ready', 'one'), row('bcd', 'no', 'two')], terminal(30)),
  );
});

test('in a narrow terminal columns leave in their order, before one is cut below its least', () => {
  const given: readonly Column[] = [
    { title: 'NAME', least: 12 },
    { title: 'KIND', dropOrder: 2 },
    { title: 'FROM', dropOrder: 1 },
    { title: 'TEXT' },
  ];
  const rows = [row('a-long-name-of-one', 'kind-of-it', 'somewhere-else', 'what it is for')];
  const at = (width: number): readonly string[] => table(given, rows, terminal(width)).split('\n');
  assert.match(at(60)[0] ?? '', /^NAME +KIND +FROM +TEXT$/);
  assert.match(at(40)[0] ?? '', /^NAME +KIND +TEXT$/);
  assert.deepEqual(at(24), ['NAME            TEXT', 'a-long-name-o…  what it…', '']);
});
