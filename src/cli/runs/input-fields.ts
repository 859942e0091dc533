import { isJsonObject, visible, type Json, type JsonObject } from '../../core/index.ts';
import { padTo, widthOf } from '../command-kit.ts';

const deepest = 4; // Objects that are nested more deeply are shown as JSON.

/**
 * Formats the input of a call for people: one line for each member, nested members below it, and lists of
 * records as rows where they fit in `width` columns. Characters that cannot be seen are escaped. Pure.
 */
export function fieldLines(input: Json, width: number): readonly string[] {
  if (input === null) return [];
  if (isJsonObject(input)) return memberLines(input, '  ', width, 1);
  return valueText(input)
    .split('\n')
    .map((line) => `  ${line}`);
}

/** Shows spaces as they are, and escapes everything else that cannot be seen. */
export function escaped(line: string): string {
  return visible(line.replace(/\t/g, '  '));
}

function memberLines(object: JsonObject, indent: string, width: number, depth: number): readonly string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const start = `${indent}${visible(name)}:`;
    const nested = depth < deepest ? nestedLines(value, `${indent}  `, width, depth + 1) : undefined;
    if (nested !== undefined) return [start, ...nested];
    const lines = valueText(value).split('\n');
    // The mark of YAML shows that the lines below are text, and not members.
    if (lines.length > 1) return [`${start} |`, ...lines.map((line) => `${indent}  ${line}`)];
    return [`${start} ${lines[0] ?? ''}`];
  });
}

/** Formats a value that has members of its own. Returns undefined for all others. */
function nestedLines(
  value: Json,
  indent: string,
  width: number,
  depth: number,
): readonly string[] | undefined {
  if (isJsonObject(value)) {
    return Object.keys(value).length === 0 ? undefined : memberLines(value, indent, width, depth);
  }
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items = value as readonly Json[];
  const records = items.filter((item): item is JsonObject => isJsonObject(item));
  if (records.length < items.length)
    return items.every(isShort) ? undefined : items.map((item) => `${indent}- ${oneRow(item)}`);
  const rows = rowsOfRecords(records, indent);
  if (rows?.every((row) => widthOf(row) <= width) === true) return rows;
  return records.flatMap((record) => {
    const [first = `${indent}  {}`, ...others] = memberLines(record, `${indent}  `, width, depth);
    return [`${indent}- ${first.slice(indent.length + 2)}`, ...others];
  });
}

/** Formats records as aligned rows below their titles, or returns undefined if a value has several lines. */
function rowsOfRecords(records: readonly JsonObject[], indent: string): readonly string[] | undefined {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const cells = [
    names.map((name) => visible(name)),
    ...records.map((record) => names.map((name) => (name in record ? oneRow(record[name] ?? null) : ''))),
  ];
  if (names.length === 0 || records.some((record) => Object.values(record).some(hasMembers)))
    return undefined;
  const widths = names.map((_, index) => Math.max(...cells.map((row) => widthOf(row[index] ?? ''))));
  return cells.map(
    (row) =>
      indent +
      row
        .map((cell, index) => padTo(cell, widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
  );
}

function hasMembers(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

const shortest = 60;

/** Whether a list of such items is readable as JSON, on one line. */
function isShort(item: Json): boolean {
  return typeof item !== 'object' && String(item).length < shortest / 4;
}

/** Formats a value on one line. Text with line breaks is shown with escapes. */
function oneRow(value: Json): string {
  return typeof value === 'string' ? visible(value) : visible(JSON.stringify(value));
}

function valueText(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.split('\n').map(escaped).join('\n');
}
