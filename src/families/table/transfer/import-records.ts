import { AgentError, type Scope } from '../../../core/index.ts';
import { workspaceOnly } from '../../../files/index.ts';
import type { ImportRequest } from '../request/request.ts';
import type { TableClock, Table } from '../table.ts';
import { askLeave } from './ask-leave.ts';
import type { ReadRecords } from './collector.ts';
import { layoutOf } from './layout-of.ts';
import { readRecords, type ReadSource, type RecordSource } from './read-records.ts';

/** What a file came to, and which one it was. */
export interface ReadImport extends ReadRecords {
  /** As people write it. */
  readonly file: string;
}

/**
 * Reads a file of the workspace, where the rules for reading files allow it. Nothing of its content is kept with the run:
 * after a restart it is read again, and `skill.changed` is thrown when it is not the same file any more.
 */
export async function readImport(
  { file, format }: ImportRequest,
  table: Table,
  scope: Scope,
  clock: TableClock,
): Promise<ReadImport> {
  const { workspace } = workspaceOnly(scope.files.workspace);
  const layout = layoutOf({ file, ...(format === undefined ? {} : { format }) });
  await askLeave(scope, 'read', { file_path: file });
  const note = (message: string): void => scope.note(message);
  const source: RecordSource = { workspace, file, layout, table, clock, signal: scope.signal, note };
  let read: ReadSource | undefined;
  const kept = await scope.step(
    `import:${file}`,
    async () => {
      read = await readRecords(source);
      return { digest: read.digest, bytes: read.bytes, rows: read.records.length };
    },
    { file, layout },
  );
  const { records, faults, lines } = read ?? (await readAgain(source, kept.digest));
  return { records, faults, lines, file };
}

/** What the same file held before an interruption, of which only the digest was kept. */
async function readAgain(source: RecordSource, digest: string): Promise<ReadSource> {
  const read = await readRecords(source).catch((thrown: unknown) => {
    source.signal.throwIfAborted();
    throw changed(source.file, thrown); // it could be read before
  });
  if (read.digest === digest) return read;
  throw changed(source.file);
}

function changed(file: string, cause?: unknown): AgentError {
  return new AgentError(
    'skill.changed',
    `"${file}" changed while its import was interrupted; nothing was imported.`,
    {
      hint: 'Import it anew.',
      cause,
    },
  );
}
