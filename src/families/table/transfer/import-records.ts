import { createHash } from 'node:crypto';
import {
  AgentError,
  isJsonObject,
  quote,
  type Json,
  type JsonObject,
  type Scope,
} from '../../../core/index.ts';
import type { LocalClock } from '../../../engines/values/calendar.ts';
import { isTextType } from '../../../engines/values/types.ts';
import {
  hasRepeats,
  jsonKind,
  openFile,
  readCommaNumber,
  readCsv,
  readJsonRecords,
  readPieces,
  unguardCell,
  workspaceOnly,
  type TakeRow,
  type TakeValue,
} from '../../../files/index.ts';
import type { ImportRequest } from '../request/request.ts';
import type { Field, Table } from '../table.ts';
import {
  createCollector,
  createNameMatcher,
  matchHead,
  type Collector,
  type NameMatcher,
  type ReadRecords,
} from './collector.ts';
import { askPermission, formats, layoutOf, type FileLayout } from './formats.ts';

/** The records of an import and the file they come from. */
export interface ReadImport extends ReadRecords {
  /** The file path as entered by the user. */
  readonly file: string;
}

/**
 * Reads a workspace file, if the rules for reading files allow it. The run does not store the file's content.
 * After a restart, the file is read again, and `skill.changed` is thrown if its content differs.
 */
export async function readImport(
  request: ImportRequest,
  table: Table,
  scope: Scope,
  clock: LocalClock,
): Promise<ReadImport> {
  const { file } = request;
  const { workspace } = workspaceOnly(scope.files.workspace);
  const layout = layoutOf(request);
  await askPermission(scope, 'read', { file_path: file });
  const read = (): Promise<ReadSource> => readRecords({ workspace, file, layout, table, clock, scope });
  let first: ReadSource | undefined;
  const recorded = await scope.step(
    `import:${file}`,
    async () => {
      first = await read();
      return { digest: first.digest, bytes: first.bytes, rows: first.records.length };
    },
    { file, layout },
  );
  const { records, faults, lines } = first ?? (await readAgain(read, recorded.digest, file, scope.signal));
  return { records, faults, lines, file };
}

/** Reads the file of an interrupted import again. The run stored only the file's digest. */
async function readAgain(
  read: () => Promise<ReadSource>,
  digest: string,
  file: string,
  signal: AbortSignal,
): Promise<ReadSource> {
  const changed = (cause?: unknown): AgentError => {
    const message = `"${file}" changed while its import was interrupted; nothing was imported.`;
    return new AgentError('skill.changed', message, { hint: 'Import it again.', cause });
  };
  const again = await read().catch((thrown: unknown) => {
    signal.throwIfAborted();
    throw changed(thrown); // The file was readable before the interruption.
  });
  if (again.digest === digest) return again;
  throw changed();
}

/** The file to read records from and the context needed to read it. */
interface RecordSource {
  readonly workspace: string;
  readonly file: string;
  readonly layout: FileLayout;
  readonly table: Table;
  readonly clock: LocalClock;
  readonly scope: Scope;
}

/** The records in a file, and the file's digest. */
interface ReadSource extends ReadRecords {
  /** The digest of the file's bytes, as `sha256:…`. */
  readonly digest: string;
  readonly bytes: number;
}

/** Reads all records from a workspace file, chunk by chunk. */
async function readRecords({ table, clock, scope, ...source }: RecordSource): Promise<ReadSource> {
  using file = openFile({ workspace: source.workspace }, source.file);
  const { shown } = file;
  const collector = createCollector(shown, clock, (message) => scope.note(message));
  const hash = createHash('sha256');
  let bytes = 0;
  const sum = { update: (part: Buffer) => ((bytes += part.length), hash.update(part)) };
  const pieces = readPieces(file, sum, scope.signal);
  if (formats[source.layout].isCsv) await readCsv(pieces, shown, rowTaker(table, shown, collector));
  else {
    const names = createNameMatcher(table, shown);
    await readJsonRecords(pieces, shown, valueTaker(names, collector));
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
    const given: (readonly [Field, Json])[] = [];
    let fault: string | undefined;
    for (const [index, field] of fields.entries()) {
      const read = readCell(field, cells[index] ?? '', separator);
      if (typeof read === 'string') given.push([field, read]);
      else fault ??= read.fault;
    }
    collector.add(line, given, fault);
  };
}

/** Returns a cell's text. Numbers in files with semicolons can have a decimal comma. */
function readCell(field: Field, cell: string, separator: string): string | { readonly fault: string } {
  if (isTextType(field.type)) return unguardCell(cell);
  if (separator !== ';' || field.type !== 'decimal') return cell;
  const number = readCommaNumber(cell);
  if (typeof number === 'string') return number;
  return {
    fault: `${quote(field.name)} cannot be ${quote(cell)}, which is ambiguous: write ${number.join(' or ')}.`,
  };
}

function valueTaker(names: NameMatcher, collector: Collector): TakeValue {
  return (value, line, text) => {
    if (!isJsonObject(value)) {
      collector.add(line, [], `expected an object, but found ${jsonKind(value)}.`);
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
