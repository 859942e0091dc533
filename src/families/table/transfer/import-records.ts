import { AgentError, type Scope } from '../../../core/index.ts';
import { workspaceOnly } from '../../../files/index.ts';
import type { ImportRequest } from '../request/request.ts';
import type { TableClock, Table } from '../table.ts';
import type { ReadRecords } from './collector.ts';
import { askPermission, layoutOf } from './formats.ts';
import { readRecords, type ReadSource, type RecordSource } from './read-records.ts';

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
  { file, format }: ImportRequest,
  table: Table,
  scope: Scope,
  clock: TableClock,
): Promise<ReadImport> {
  const { workspace } = workspaceOnly(scope.files.workspace);
  const layout = layoutOf({ file, ...(format === undefined ? {} : { format }) });
  await askPermission(scope, 'read', { file_path: file });
  const note = (message: string): void => scope.note(message);
  const source: RecordSource = { workspace, file, layout, table, clock, signal: scope.signal, note };
  let read: ReadSource | undefined;
  const recorded = await scope.step(
    `import:${file}`,
    async () => {
      read = await readRecords(source);
      return { digest: read.digest, bytes: read.bytes, rows: read.records.length };
    },
    { file, layout },
  );
  const { records, faults, lines } = read ?? (await readAgain(source, recorded.digest));
  return { records, faults, lines, file };
}

/** Reads the file of an interrupted import again. The run stored only the file's digest. */
async function readAgain(source: RecordSource, digest: string): Promise<ReadSource> {
  const read = await readRecords(source).catch((thrown: unknown) => {
    source.signal.throwIfAborted();
    // The file was readable before the interruption, so it must have changed since then.
    throw changed(source.file, thrown);
  });
  if (read.digest === digest) return read;
  throw changed(source.file);
}

function changed(file: string, cause?: unknown): AgentError {
  return new AgentError(
    'skill.changed',
    `"${file}" changed while its import was interrupted; nothing was imported.`,
    {
      hint: 'Import it again.',
      cause,
    },
  );
}
