import type { Token } from 'markdown-it';
import { inlineSpans } from './inline.ts';
import { widthOfSpans, wrapSpans, type StyledSpan } from './spans.ts';

type Line = readonly StyledSpan[];
type Align = 'left' | 'right' | 'center';

interface Cell {
  readonly spans: readonly StyledSpan[];
  readonly align: Align;
}

const least = 6; // The minimum width of a column in a table with lines.
const gap = ' │ ';

/**
 * Lays out a table. The widest columns shrink and their cells wrap until the table fits. If the columns would
 * become too narrow to read, each row becomes a list of `name: value`.
 */
export function tableLines(tokens: readonly Token[], width: number, hasColor: boolean): readonly Line[] {
  const rows = rowsIn(tokens, hasColor);
  const [head = [], ...body] = rows;
  const room = width - gap.length * (head.length - 1);
  const natural = head.map((_, index) =>
    Math.max(...rows.map((row) => widthOfSpans(row[index]?.spans ?? []))),
  );
  const widths = shrunk(natural, room);
  if (widths === undefined) return stacked(head, body, width);
  const line: Line = [{ text: widths.map((columns) => '─'.repeat(columns)).join('─┼─'), styles: ['dim'] }];
  return [...rowLines(head, widths), line, ...body.flatMap((row) => rowLines(row, widths))];
}

function rowsIn(tokens: readonly Token[], hasColor: boolean): readonly (readonly Cell[])[] {
  const rows: Cell[][] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'tr_open') rows.push([]);
    if (token.type !== 'th_open' && token.type !== 'td_open') continue;
    const content = tokens[index + 1];
    const spans =
      content?.type === 'inline'
        ? inlineSpans(content, hasColor, token.type === 'th_open' ? ['bold'] : [])
        : [];
    rows.at(-1)?.push({ spans, align: alignOf(token) });
  }
  return rows;
}

function alignOf(token: Token): Align {
  const found = /text-align:(right|center)/.exec(String(token.attrGet('style') ?? ''))?.[1];
  return found === 'right' || found === 'center' ? found : 'left';
}

/** Returns the widths of the columns, or undefined if they cannot fit. */
function shrunk(natural: readonly number[], room: number): readonly number[] | undefined {
  const widths = [...natural];
  for (let over = sum(widths) - room; over > 0; over -= 1) {
    const widest = Math.max(...widths);
    if (widest <= least) return undefined;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function rowLines(row: readonly Cell[], widths: readonly number[]): readonly Line[] {
  const cells = widths.map((width, index) => wrapSpans(row[index]?.spans ?? [], width));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    widths.flatMap((width, index): StyledSpan[] => {
      const content = cells[index]?.[at] ?? [];
      const isLast = index === widths.length - 1;
      const left = spaceBefore(row[index]?.align ?? 'left', width - widthOfSpans(content));
      const right = isLast ? 0 : Math.max(0, width - widthOfSpans(content) - left);
      return [
        { text: ' '.repeat(left) },
        ...content,
        { text: ' '.repeat(right) },
        ...(isLast ? [] : [{ text: gap, styles: ['dim'] as const }]),
      ];
    }),
  );
}

function spaceBefore(align: Align, free: number): number {
  if (free <= 0 || align === 'left') return 0;
  return align === 'right' ? free : Math.floor(free / 2);
}

function stacked(head: readonly Cell[], body: readonly (readonly Cell[])[], width: number): readonly Line[] {
  return body.flatMap((row, index) => [
    ...(index === 0 ? [] : [[{ text: '─'.repeat(Math.min(width, 20)), styles: ['dim'] as const }]]),
    ...head.flatMap((name, column) =>
      wrapSpans([...name.spans, { text: ': ' }, ...(row[column]?.spans ?? [])], width),
    ),
  ]);
}
