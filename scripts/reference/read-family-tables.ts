import { readFileSync } from 'node:fs';
import path from 'node:path';
import { keyOf } from './read-parts.ts';
import { root } from './read-source.ts';

/** The description of a field, a section or an attribute in a README, as Markdown. */
export interface FieldRow {
  readonly absent: string;
  readonly empty: string;
  readonly meaning: string;
}

const absentColumns = ['absent', 'when absent', 'unless given'];
const emptyColumns = ['empty'];
const meaningColumns = ['present', 'when present', 'meaning', 'value'];

/**
 * Returns the rows of all field tables in a family's README, keyed by field. Links are relative to
 * docs/reference.
 */
export function readFamilyTables(id: string): ReadonlyMap<string, FieldRow> {
  const readme = path.join('src/families', id, 'README.md');
  const text = readFileSync(path.join(root, readme), 'utf8').replaceAll(
    /(?<=\]\()(?![a-z]+:)[^)]+/g,
    (link) => {
      const to = link.startsWith('#') ? `${readme}${link}` : path.join(path.dirname(readme), link);
      return path.relative('docs/reference', to);
    },
  );
  const rows = new Map<string, FieldRow>();
  for (const table of text.matchAll(/^\| (?:field|section|attribute) \|.*\n(?:\|.*\n)+/gm)) {
    const [head = [], , ...body] = table[0].trim().split('\n').map(cellsOf);
    const cell = (row: readonly string[], names: readonly string[]): string =>
      row[head.findIndex((name) => names.includes(name))] ?? '';
    for (const row of body)
      for (const name of (row[0] ?? '').replaceAll('`', '').split(', '))
        rows.set(keyOf(name), {
          absent: cell(row, absentColumns),
          empty: cell(row, emptyColumns),
          meaning: cell(row, meaningColumns),
        });
  }
  return rows;
}

function cellsOf(line: string): readonly string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
