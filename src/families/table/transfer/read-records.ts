import { createHash } from 'node:crypto';
import { AgentError, isJsonObject, type Json, type JsonObject } from '../../../core/index.ts';
import { openFile } from '../../../files/index.ts';
import { isTextType } from '../request/comparisons-of.ts';
import type { Field, Table, TableClock } from '../table.ts';
import { quote } from '../values/quote.ts';
import { createCollector, type Collector, type ReadRecords } from './collector.ts';
import { unguardCell } from './formula-guard.ts';
import { isCsv, type FileLayout } from './layout-of.ts';
import { listWords } from './list-words.ts';
import { createNameMatcher, type NameMatcher } from './name-matcher.ts';
import { hasRepeats } from './parse-record.ts';
import { readCsv, type TakeRow } from './read-csv.ts';
import { kindOf, readJson, type TakeValue } from './read-json.ts';
import { readPieces } from './read-pieces.ts';

/** The file to read records from and the context needed to read it. */
export interface RecordSource {
  readonly workspace: string;
  readonly file: string;
  readonly layout: FileLayout;
  readonly table: Table;
  readonly clock: TableClock;
  readonly signal: AbortSignal;
  readonly note: (message: string) => void;
}

/** The records in a file, and the file's digest. */
export interface ReadSource extends ReadRecords {
  /** The digest of the file's bytes, as `sha256:…`. */
  readonly digest: string;
  readonly bytes: number;
}

/** Reads all records from a workspace file, chunk by chunk. */
export async function readRecords(source: RecordSource): Promise<ReadSource> {
  const { table, clock, signal, note } = source;
  using file = openFile({ workspace: source.workspace }, source.file);
  const { shown } = file;
  const collector = createCollector(shown, clock, note);
  const hash = createHash('sha256');
  let bytes = 0;
  const sum = { update: (part: Buffer) => ((bytes += part.length), hash.update(part)) };
  const pieces = readPieces(file, sum, signal);
  if (isCsv(source.layout)) await readCsv(pieces, shown, rowTaker(table, shown, collector));
  else {
    const names = createNameMatcher(table, shown);
    await readJson(pieces, shown, valueTaker(names, collector));
    names.mustBeKnown();
  }
  const { records, faults, lines } = collector;
  return { records, faults, lines, digest: `sha256:${hash.digest('hex')}`, bytes };
}

/** Creates a function that processes rows, header first. Skips empty rows, which spreadsheets add. */
function rowTaker(table: Table, shown: string, collector: Collector): TakeRow {
  let fields: readonly Field[] | undefined;
  return (cells, line, separator) => {
    if (cells.every((cell) => cell === '')) return;
    if (fields === undefined) {
      fields = matchHead(table, cells, shown);
      return;
    }
    if (cells.length !== fields.length) {
      const here = cells.length === 1 ? 'is 1 cell' : `are ${cells.length} cells`;
      collector.add(line, [], `there ${here}, but the header has ${fields.length}.`);
      return;
    }
    const read = fields.map((field, index) => readCell(field, cells[index] ?? '', separator));
    const given = read.flatMap((one, index) => {
      const field = fields?.[index];
      return 'fault' in one || field === undefined ? [] : [[field, one.value] as const];
    });
    collector.add(line, given, read.find((one) => 'fault' in one)?.fault);
  };
}

function readCell(
  field: Field,
  cell: string,
  separator: string,
): { readonly value: Json; readonly fault?: never } | { readonly fault: string } {
  if (isTextType(field.type)) return { value: unguardCell(cell) };
  if (separator !== ';' || field.type !== 'decimal') return { value: cell };
  const number = readCommaNumber(cell);
  if ('text' in number) return { value: number.text };
  const fault = `${quote(field.name)} cannot be ${quote(cell)}, which is ambiguous: write ${number.ways.join(' or ')}.`;
  return { fault };
}

function valueTaker(names: NameMatcher, collector: Collector): TakeValue {
  return (value, line, text) => {
    if (!isJsonObject(value)) {
      collector.add(line, [], `expected an object, but found ${kindOf(value)}.`);
      return;
    }
    const given = new Map<Field, Json>();
    let twice = hasRepeats(text, value) ? 'a property appears twice.' : undefined;
    for (const [name, member] of Object.entries(value)) {
      const field = names.match(name);
      if (field === undefined) continue;
      if (given.has(field)) twice = `several properties refer to ${field.name}.`;
      const isText = field.type === 'json' && member !== null;
      given.set(field, isText ? JSON.stringify(exactMember(text, name, member)) : member);
    }
    collector.add(line, [...given], twice);
  };
}

/**
 * Converts a string of digits back to a number if the number is exact. The parser returns large integers as
 * strings.
 */
function exactMember(text: string, name: string, member: Json): Json {
  if (typeof member !== 'string' || !/^-?\d{16,}$/.test(member)) return member;
  const own = (JSON.parse(text) as JsonObject)[name] ?? null;
  return typeof own === 'number' && String(own) === member ? own : member;
}

/** A cell's number in standard notation, or both possible readings if the separator is ambiguous. */
type CommaNumber = { readonly text: string } | { readonly ways: readonly [string, string] };

/**
 * Reads a number with a decimal comma, as spreadsheets write it in semicolon-separated files: `1.234,50`.
 * Returns other text unchanged. In `1.500` and `1,500`, the separator is ambiguous.
 */
function readCommaNumber(cell: string): CommaNumber {
  const text = cell.trim();
  if (twofold.test(text)) {
    const fraction = String(Number(text.replace(',', '.')));
    return { ways: [text.replace(/[.,]/, ''), twofold.test(fraction) ? `${fraction}0` : fraction] };
  }
  if (/^[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+$/.test(text))
    return { text: text.replaceAll('.', '').replace(',', '.') };
  if (/^[+-]?\d{1,3}(?:\.\d{3}){2,}$/.test(text)) return { text: text.replaceAll('.', '') };
  return { text: cell };
}

const twofold = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;

/** Returns the fields named in a file's header, in order. Throws for unknown, repeated or unnamed columns. */
function matchHead(table: Table, head: readonly string[], shown: string): readonly Field[] {
  const matcher = createNameMatcher(table, shown);
  const unnamed = head.findIndex((name) => name.trim() === '');
  if (unnamed >= 0) {
    throw new AgentError('usage.bad-input', `Column ${unnamed + 1} of "${shown}" has no name.`, {
      hint: 'Name this column in the first row, or remove the column.',
    });
  }
  const fields = head.map((name) => matcher.match(name));
  matcher.mustBeKnown();
  const found = fields.filter((field) => field !== undefined);
  const again = found.findIndex((field, index) => found.indexOf(field) < index);
  const twice = found[again];
  if (twice === undefined) return found;
  const names = head.filter((_, index) => found[index] === twice).map((name) => `"${name}"`);
  throw new AgentError(
    'usage.bad-input',
    `Several columns in "${shown}" refer to ${twice.name}: ${listWords(names)}.`,
    {
      hint: 'Keep only one of these columns.',
    },
  );
}
