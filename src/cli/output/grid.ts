import { padTo, rowsOf, widthOf, wrapWords } from './text.ts';

const ruleLine = /^ *-+(?: {2}-+)+$/;

/**
 * Shows plain-text tables that are wider than the terminal as one block for each row: the first cell, and below
 * it the other cells with their titles. All other lines stay as they are. Pure.
 */
export function fitGrids(lines: readonly string[], width: number): readonly string[] {
  const fitting: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const end = ruleLine.test(lines[at + 1] ?? '') ? endOfGrid(lines, at) : at + 1;
    const grid = lines.slice(at, end);
    const isWide = grid.length > 2 && grid.some((line) => widthOf(line) > width);
    fitting.push(...(isWide ? blocksOf(grid, width) : grid));
    at = end;
  }
  return fitting;
}

/** Returns where the columns of a grid begin. */
function startsOf(rule: string): readonly number[] {
  return [...rule.matchAll(/-+/g)].map(({ index }) => index);
}

/** Returns the index after the last row. A last line that is not clearly a row is not part of the grid. */
function endOfGrid(lines: readonly string[], at: number): number {
  const [, second = Infinity, ...others] = startsOf(lines[at + 1] ?? '');
  let end = at + 2;
  for (let index = end; index < lines.length; index += 1) {
    const characters = Array.from(lines[index] ?? '');
    const hasGap = (start: number): boolean =>
      characters.length <= start || characters.slice(start - 2, start).join('') === '  ';
    if (characters.length === 0 || ![second, ...others].every(hasGap)) break;
    if (characters.length > second) end = index + 1;
  }
  return end;
}

function blocksOf([head = '', rule = '', ...rows]: readonly string[], width: number): readonly string[] {
  const starts = startsOf(rule);
  const indent = ' '.repeat(starts[0] ?? 0);
  const [, ...titles] = cellsIn(head, starts);
  const widest = Math.max(0, ...titles.map((title) => widthOf(title)));
  return rows.flatMap((row) => {
    const [first = '', ...values] = cellsIn(row, starts);
    const cells = values.flatMap((value, index) => {
      if (value === '') return [];
      const start = `${indent}  ${padTo(`${titles[index] ?? ''}:`, widest + 2)}`;
      const rest = ' '.repeat(Math.min(widthOf(start), indent.length + 4));
      return wrapWords(`${start}${value}`, width, rest);
    });
    return [...rowsOf(`${indent}${first}`, width), ...cells];
  });
}

function cellsIn(line: string, starts: readonly number[]): readonly string[] {
  const characters = Array.from(line);
  return starts.map((start, index) =>
    characters
      .slice(start, starts[index + 1])
      .join('')
      .trim(),
  );
}
