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

/** The kind of a file, according to its first bytes. An early store has no `id`. */
export type StoreHead =
  | { readonly is: 'missing' | 'link' }
  | { readonly is: 'store'; readonly id?: string }
  /** `fault` completes a sentence that begins with the path. */
  | { readonly is: 'damaged'; readonly fault: string };

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Reads the start of a file without SQLite. Trusts no content, follows no links and reads no other files. */
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
 * Returns the minimum size of the file according to its header. Returns 0 if an old version of SQLite may not
 * have updated the header.
 */
function lengthIn(head: Buffer): number {
  const isCurrent = head.readUInt32BE(24) === head.readUInt32BE(92);
  const pageSize = head.readUInt16BE(16);
  return isCurrent ? head.readUInt32BE(28) * (pageSize === 1 ? 65_536 : pageSize) : 0;
}

/** Creates a store id of 64 random bits. A database header has no space for more. */
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
 * Creates an empty database with this id, which only its owner can access. Atomic. Returns false if the path
 * exists.
 */
export function createStoreFile(path: string, id: string): boolean {
  const beside = `${path}.${randomUUID()}.new`;
  closeSync(openSync(beside, 'wx', 0o600));
  try {
    const { DatabaseSync } = loadSqlite();
    using connection = new DatabaseSync(beside);
    connection.exec('pragma journal_mode = wal');
    writeId(connection, id);
    connection.close(); // Closing moves the content of the write-ahead log to the file.
    return putAt(beside, path);
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${beside}${end}`, { force: true });
  }
}

/**
 * Moves a file to a path. Returns false if the path exists. Uses a hard link, which never replaces a file, or
 * a rename if the file system has no hard links.
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
 * Creates a file that only its owner can access, if it does not exist. SQLite uses the same mode for its
 * journals. Does not follow links in a `.skilled` folder, because another person may have created the folder.
 */
export async function makeOwnFile(path: string): Promise<void> {
  const links = basename(dirname(path)) === '.skilled' ? O_NOFOLLOW : 0;
  await (await open(path, O_APPEND | O_CREAT | O_WRONLY | links, 0o600)).close();
}
