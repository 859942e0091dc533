import { randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { loadSqlite } from './driver.ts';

/** The kind of file at a path, according to the file's first bytes. Stores of early versions have no `id`. */
export type StoreHead =
  | { readonly is: 'missing' | 'link' }
  | { readonly is: 'store'; readonly id?: string }
  /** `fault` is the rest of a sentence that starts with the path. */
  | { readonly is: 'damaged'; readonly fault: string };

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Reads the start of a regular file without SQLite. Does not trust its content and does not follow links. */
export function readStoreHead(path: string): StoreHead {
  let handle: number;
  try {
    handle = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (thrown) {
    const { code } = thrown as { code?: string };
    if (code === 'ENOENT' || code === 'ENOTDIR') return { is: 'missing' };
    if (code === 'ELOOP' || code === 'EMLINK') return { is: 'link' };
    return { is: 'damaged', fault: `cannot be read (${code ?? 'unknown error'})` };
  }
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) return { is: 'damaged', fault: 'is not a regular file' };
    if (stats.size === 0) return { is: 'damaged', fault: 'is empty' };
    const head = Buffer.alloc(headLength);
    const length = readSync(handle, head, 0, headLength, 0);
    if (length < headLength || head.toString('latin1', 0, magic.length) !== magic)
      return { is: 'damaged', fault: 'is not a database' };
    if (stats.size < lengthIn(head) && !existsSync(`${path}-wal`))
      return { is: 'damaged', fault: 'is shorter than it should be' };
    const id = `${head.toString('hex', 60, 64)}${head.toString('hex', 68, 72)}`;
    return /^0+$/.test(id) ? { is: 'store' } : { is: 'store', id };
  } finally {
    closeSync(handle);
  }
}

// SQLite's header: https://www.sqlite.org/fileformat.html
const headLength = 100; // The size of the header in bytes.
const magic = 'SQLite format 3\0';

/**
 * Returns the minimum size of the file according to its header, or 0 if an old version of SQLite may have
 * left the header outdated.
 */
function lengthIn(head: Buffer): number {
  const isCurrent = head.readUInt32BE(24) === head.readUInt32BE(92);
  const pageSize = head.readUInt16BE(16);
  return isCurrent ? head.readUInt32BE(28) * (pageSize === 1 ? 65_536 : pageSize) : 0;
}

/** Creates a store id of 64 random bits, the most that the header of a database has space for. */
export function newStoreId(): string {
  const id = randomBytes(8);
  return id.every((byte) => byte === 0) ? newStoreId() : id.toString('hex');
}

/** Sets the id of an open store. */
export function writeId(connection: DatabaseSync, id: string): void {
  const bytes = Buffer.from(id, 'hex');
  connection.exec(
    `pragma user_version = ${bytes.readInt32BE(0)}; pragma application_id = ${bytes.readInt32BE(4)}`,
  );
}

/**
 * Creates an empty database with this id, accessible only to its owner. Atomic. Returns false if the path
 * already exists.
 */
export function createStoreFile(path: string, id: string): boolean {
  const beside = `${path}.${randomUUID()}.new`;
  closeSync(openSync(beside, 'wx', 0o600));
  try {
    const { DatabaseSync } = loadSqlite();
    using connection = new DatabaseSync(beside);
    connection.exec('pragma journal_mode = wal');
    writeId(connection, id);
    connection.close(); // Closing writes the contents of the write-ahead log to the file.
    return putAt(beside, path);
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${beside}${end}`, { force: true });
  }
}

/**
 * Moves a file to a path. Returns false if the path already exists. Uses a hard link, which never replaces a
 * file, or a rename if the file system does not support hard links.
 */
function putAt(file: string, path: string): boolean {
  try {
    linkSync(file, path);
    return true;
  } catch (thrown) {
    const { code = '' } = thrown as { code?: string };
    if (code === 'EEXIST') return false;
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'].includes(code)) throw thrown;
  }
  if (readStoreHead(path).is !== 'missing') return false;
  renameSync(file, path);
  return true;
}

/**
 * Creates a file, accessible only to its owner, unless the file exists. SQLite creates its journals with the
 * same mode. In a `.skilled` folder, does not follow links, because another person may have created the
 * folder.
 */
export async function makeOwnFile(path: string): Promise<void> {
  const links = basename(dirname(path)) === '.skilled' ? O_NOFOLLOW : 0;
  await (await open(path, O_APPEND | O_CREAT | O_WRONLY | links, 0o600)).close();
}
