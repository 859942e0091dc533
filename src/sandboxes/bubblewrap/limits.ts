import { readFileSync, readdirSync, readlinkSync, statSync, statfsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { CommandResult, SandboxLimits } from '../../core/index.ts';
import { threadsPerProcess } from './command-line.ts';

/** The limit that was gone beyond. */
export type Over = NonNullable<CommandResult['over']>;

// What a namespace can use up in a second, at most and about. How soon it is looked at again follows from what is left.
const memoryPace = 2 ** 31; // bytes
const processPace = 1000;
const soonest = 20; // milliseconds, in which most commands have ended
const shortest = 10;
const longest = 250;

/** Looks at a namespace again and again and says once when it uses too much; gives a function that stops it. */
export function watchLimits(
  namespace: Namespace,
  limits: SandboxLimits,
  onOver: (over: Over) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const look = async (): Promise<void> => {
    const processes = countProcesses(namespace); // first, since looking at each takes time that a flood of them uses
    if (processes > limits.processes) {
      onOver('processes');
      return;
    }
    const { threads, memoryBytes } = readNamespaceUsage(namespace);
    if (threads > limits.processes * threadsPerProcess) {
      onOver('processes');
      return;
    }
    const began = performance.now();
    const used = memoryBytes > limits.memoryBytes ? await readSharedOnce(namespace) : memoryBytes;
    if (isStopped) return;
    if (used > limits.memoryBytes) {
      onOver('memory');
      return;
    }
    const rest = Math.min(
      (limits.memoryBytes - used) / memoryPace,
      (limits.processes - processes) / processPace,
    );
    again(Math.max(rest * 1000, 10 * (performance.now() - began))); // counting exactly is not for every moment
  };

  const again = (milliseconds: number): void => {
    timer = setTimeout(
      () => void look().catch(() => undefined), // the namespace has ended, and with it the watch
      Math.min(Math.max(milliseconds, shortest), longest),
    ).unref();
  };

  again(soonest);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** The processes of a sandbox, seen from outside. */
export interface Namespace {
  /** The id of its first process, for us. */
  readonly first: number;
  /** Folders in it whose files are memory. */
  readonly memoryFolders: readonly string[];
}

/** What all processes of a namespace use. */
interface NamespaceUsage {
  readonly threads: number;
  /** Bytes that cannot be had back from them. */
  readonly memoryBytes: number;
}

/** How many processes there are; cheap, however many. */
export function countProcesses(namespace: Namespace): number {
  return processesOf(namespace).length;
}

/** Looks at each process; memory that several of them share counts for each. What ends meanwhile is left out. */
function readNamespaceUsage(namespace: Namespace): NamespaceUsage {
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
async function readSharedOnce(namespace: Namespace): Promise<number> {
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
