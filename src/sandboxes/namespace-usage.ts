import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** The processes of a sandbox, seen from outside. */
export interface Namespace {
  /** The id of its first process, for us. */
  readonly first: number;
  /** Folders in it whose files are memory. */
  readonly memoryFolders: readonly string[];
}

/** What all processes of a namespace use. */
export interface NamespaceUsage {
  readonly threads: number;
  /** Bytes that cannot be had back from them. */
  readonly memoryBytes: number;
}

/** How many processes there are; cheap, however many. */
export function countProcesses(namespace: Namespace): number {
  return processesOf(namespace).length;
}

/** Looks at each process; memory that several of them share counts for each. What ends meanwhile is left out. */
export function readNamespaceUsage(namespace: Namespace): NamespaceUsage {
  const ids = processesOf(namespace);
  const statuses = ids.map((id) => textOf(`${folderOf(namespace)}/${id}/status`));
  const total = (name: string): number => sum(statuses.map((status) => fieldOf(status, name)));
  return {
    threads: total('Threads'),
    memoryBytes:
      1024 * (total('RssAnon') + total('VmSwap')) +
      Math.max(1024 * total('RssShmem'), filesInMemory(namespace, ids)),
  };
}

/** Its memory in bytes, where what processes share counts once; takes milliseconds for each gigabyte. */
export async function readSharedOnce(namespace: Namespace): Promise<number> {
  const ids = processesOf(namespace);
  const rollups: string[] = [];
  for (const id of ids) {
    rollups.push(await readFile(`${folderOf(namespace)}/${id}/smaps_rollup`, 'utf8').catch(() => ''));
  }
  const total = (name: string): number => 1024 * sum(rollups.map((rollup) => fieldOf(rollup, name)));
  return total('Pss_Anon') + total('SwapPss') + Math.max(total('Pss_Shmem'), filesInMemory(namespace, ids));
}

function folderOf({ first }: Namespace): string {
  return `/proc/${first}/root/proc`;
}

function processesOf(namespace: Namespace): readonly string[] {
  return readdirSync(folderOf(namespace)).filter((name) => /^\d+$/.test(name));
}

const inodeBytes = 1024; // of the kernel's memory, for the smallest file

/** Files in folders that are memory, and those that have no name, each once whoever has it open. */
function filesInMemory(namespace: Namespace, ids: readonly string[]): number {
  const named = namespace.memoryFolders.map((folder) => {
    const { blocks, bfree, bsize, files, ffree } = statfsSync(`/proc/${namespace.first}/root${folder}`);
    return (blocks - bfree) * bsize + (files - ffree) * inodeBytes;
  });
  const nameless = new Map<number, number>();
  for (const id of ids) addNameless(`${folderOf(namespace)}/${id}/fd`, nameless);
  return sum([...named, ...nameless.values()]);
}

function addNameless(folder: string, found: Map<number, number>): void {
  try {
    for (const handle of readdirSync(folder)) {
      const path = `${folder}/${handle}`;
      if (!readlinkSync(path).startsWith('/memfd:')) continue;
      const { ino, blocks } = statSync(path);
      found.set(ino, blocks * 512);
    }
  } catch {
    // the process has ended, or closed the file
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended
  }
}

/** A number from a text of the kernel with a name at the beginning of each line; zero where there is none. */
function fieldOf(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
