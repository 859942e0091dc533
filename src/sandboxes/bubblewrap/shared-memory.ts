import { readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemCode } from '../../files/index.ts';

/** A running process whose shared memory is counted. */
export interface MappedProcess {
  /** The process's folder in `/proc`. */
  readonly folder: string;
  /** An upper estimate of the process's shared memory in bytes, used if its mappings cannot be read. */
  readonly atMost: number;
}

// The maximum total size of the lists of mappings, in bytes. The lists of most programs are much shorter.
// Without a maximum, programs could delay the checks with millions of mappings.
const maxListBytes = 8 * 2 ** 20;

/** The shared memory of a group of processes. */
interface SharedMemory {
  readonly bytes: number;
  /** The processes for which an estimate is used, because their mappings cannot be read or are too many. */
  readonly unread: ReadonlySet<MappedProcess>;
}

/**
 * Adds up the sizes of the anonymous shared memory that processes map, in bytes. A program can drop the
 * pages of such a mapping. They then belong to no process but still use memory, so the whole size of the
 * mapping is counted, and only once if several processes share it. Skips processes that have just ended. A
 * program can reserve much more memory than it uses, so estimates are capped at the amount of shared memory
 * that the kernel has allocated. `allocated` returns this amount for the processes, if the kernel tracks
 * it.
 */
export async function sharedMemoryOf(
  processes: readonly MappedProcess[],
  allocated: () => number | undefined = () => undefined,
): Promise<SharedMemory> {
  const unread = new Set<MappedProcess>();
  const objects = new Map<string, SharedObject>();
  let left = maxListBytes;
  for (const process of processes) {
    try {
      const maps = await readList(`${process.folder}/maps`, left);
      left -= maps?.length ?? left;
      if (maps === undefined) unread.add(process);
      else await learn(objects, process.folder, maps);
    } catch (thrown) {
      if (!hasEnded(thrown)) unread.add(process);
    }
  }
  let exact = 0;
  let estimated = 0;
  for (const { atMost } of unread) estimated += atMost;
  for (const { blocks, end } of objects.values()) {
    if (blocks === undefined) estimated += end;
    else exact += blocks * blockBytes;
  }
  const bytes = exact + (estimated === 0 ? 0 : Math.min(estimated, allocated() ?? allocatedOnHost()));
  return { bytes, unread };
}

/** Returns the total size of shared memory, in-memory files and swapped memory on the machine, in bytes. */
function allocatedOnHost(): number {
  const text = readFileSync('/proc/meminfo', 'utf8');
  const valueOf = (name: string): number =>
    1024 * Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN);
  const bytes = valueOf('Shmem') + valueOf('SwapTotal') - valueOf('SwapFree');
  return Number.isNaN(bytes) ? Number.POSITIVE_INFINITY : bytes;
}

/** Reads a list that the kernel generates. Returns undefined if the list is longer than `maxBytes`. */
async function readList(path: string, maxBytes: number): Promise<string | undefined> {
  if (maxBytes === 0) return undefined;
  await using handle = await open(path);
  const pieces: Buffer[] = [];
  for (let length = 0; length <= maxBytes;) {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.allocUnsafe(readBytes) });
    if (bytesRead === 0) return Buffer.concat(pieces).toString('latin1');
    pieces.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return undefined;
}

const readBytes = 8192; // The kernel returns at most a page at a time.

/** A block of shared memory, which the kernel treats as a file without a name. */
interface SharedObject {
  /** The number of blocks that the kernel has allocated. Undefined if this user may not query it. */
  readonly blocks: number | undefined;
  /** The end of the last mapped page, in bytes from the start of the memory. */
  end: number;
}

// Matches a line in `maps`: addresses, permissions, offset, device, inode and name. Programs can rename a
// mapping, but only to a name in `[anon_shmem:…]`.
const sharedLine =
  /^([0-9a-f]+)-([0-9a-f]+) ...s ([0-9a-f]+) \S+ (\d+) +(\/dev\/zero \(deleted\)|\/SYSV|\/memfd:|\[anon_shmem:)/gm;

const objectsPerTurn = 500; // The number of objects to look up before yielding to other work.

async function learn(objects: Map<string, SharedObject>, folder: string, maps: string): Promise<void> {
  for (const [, from = '', to = '', offset = '', inode = '', name = ''] of maps.matchAll(sharedLine)) {
    // For a SysV segment, the inode is the segment's id, which can equal the inode of other memory.
    const key = name === '/SYSV' ? `segment ${inode}` : inode;
    const [first, last] = [Number.parseInt(from, 16), Number.parseInt(to, 16)];
    const end = Number.parseInt(offset, 16) + last - first;
    const known = objects.get(key);
    if (known === undefined) {
      objects.set(key, { blocks: blocksAt(folder, first, last), end });
      if (objects.size % objectsPerTurn === 0) await nextTurn();
    } else known.end = Math.max(known.end, end);
  }
}

let mayAsk = true;

/**
 * Returns the number of blocks allocated for a mapping, including pages that are no longer mapped. Only
 * root may query this.
 */
function blocksAt(folder: string, first: number, last: number): number | undefined {
  if (!mayAsk) return undefined;
  try {
    return statSync(`${folder}/map_files/${first.toString(16)}-${last.toString(16)}`).blocks;
  } catch (thrown) {
    if (!hasEnded(thrown)) mayAsk = false;
    return undefined; // The mapping is gone, or this user may not query it.
  }
}

const blockBytes = 512;

/** Returns whether a file in `/proc` could not be read because its process or its mapping is gone. */
export function hasEnded(thrown: unknown): boolean {
  return ['ENOENT', 'ESRCH'].includes(systemCode(thrown) ?? '');
}
