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

/** The type of a file, determined from its first bytes. Stores from before ids existed have no `id`. */
export type StoreHead =
  | { readonly is: 'missing' | 'link' }
  | { readonly is: 'store'; readonly id?: string }
  /** `fault` ends a sentence that begins with the path. */
  | { readonly is: 'damaged'; readonly fault: string };

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Inspects a file without SQLite. Trusts no content, follows no links and reads no other files. */
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
const headLength = 100; // The header's size in bytes.
const magic = 'SQLite format 3\0';

/**
 * Returns the minimum file size according to the header, or 0 if an old SQLite version may have left the
 * header outdated.
 */
function lengthIn(head: Buffer): number {
  const isCurrent = head.readUInt32BE(24) === head.readUInt32BE(92);
  const pageSize = head.readUInt16BE(16);
  return isCurrent ? head.readUInt32BE(28) * (pageSize === 1 ? 65_536 : pageSize) : 0;
}

/** Creates a new id of 64 random bits, the most that a database header can hold. */
export function newStoreId(): string {
  const id = randomBytes(8);
  return id.every((byte) => byte === 0) ? newStoreId() : id.toString('hex');
}

/** Sets the id of a store that is open. */
export function writeId(connection: DatabaseSync, id: string): void {
  const bytes = Buffer.from(id, 'hex');
  connection.exec(
    `pragma user_version = ${bytes.readInt32BE(0)}; pragma application_id = ${bytes.readInt32BE(4)}`,
  );
}

/**
 * Atomically creates an empty database with this id that only its owner can access. Returns false if the path
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
    connection.close(); // Closing moves the write-ahead log's content to the file.
    return putAt(beside, path);
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${beside}${end}`, { force: true });
  }
}

/** Creates a hard link. Unlike a rename, this never replaces a file. Some file systems do not support it. */
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
 * Creates a file that only its owner can access, if it is missing. SQLite gives its journal files the same
 * mode. Symlinks in a `.skilled` folder are not followed, because the folder may come from someone else's
 * project.
 */
export async function makeOwnFile(path: string): Promise<void> {
  const links = basename(dirname(path)) === '.skilled' ? O_NOFOLLOW : 0;
  await (await open(path, O_APPEND | O_CREAT | O_WRONLY | links, 0o600)).close();
}
