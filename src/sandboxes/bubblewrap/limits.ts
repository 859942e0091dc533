import { readFileSync, readdirSync, statfsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ProcessResult, SandboxLimits } from '../../core/index.ts';
import { threadsPerProcess } from './command-line.ts';

/** The limit that was exceeded. */
export type Over = NonNullable<ProcessResult['over']>;

// Upper estimates of how fast a namespace can use up resources, per second. The remaining resources determine
// when the next check runs.
const memoryPace = 2 ** 31; // In bytes per second.
const processPace = 1000;
const soonest = 20; // The time until the first check, in milliseconds. Most commands end earlier.
const shortest = 10;
const longest = 250;

/**
 * Checks a namespace repeatedly and reports once if the namespace exceeds a limit. Returns a function that
 * stops the checks.
 */
export function watchLimits(
  namespace: Namespace,
  limits: SandboxLimits,
  onOver: (over: Over) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const look = async (): Promise<void> => {
    // Count processes first, because inspecting each one is slow.
    const processes = countProcesses(namespace);
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
    // Wait at least ten times as long as the check took, because exact counts are slow.
    again(Math.max(rest * 1000, 10 * (performance.now() - began)));
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
  /** The host's id for the namespace's first process. */
  readonly first: number;
  /** Folders in the sandbox whose files are kept in memory. */
  readonly memoryFolders: readonly string[];
}

/** Resources used by all processes of a namespace together. */
interface NamespaceUsage {
  readonly threads: number;
  /** The memory that the processes use and that the kernel cannot reclaim, in bytes. */
  readonly memoryBytes: number;
}

/** Counts the processes. The count is cheap even for many processes. */
export function countProcesses(namespace: Namespace): number {
  return processesOf(namespace).length;
}

/** Inspects each process. Counts shared memory once per process, and skips processes that have just ended. */
function readNamespaceUsage(namespace: Namespace): NamespaceUsage {
  const ids = processesOf(namespace);
  const statuses = ids.map((id) => textOf(`${folderOf(namespace)}/${id}/status`));
  const total = (name: string): number => sum(statuses.map((status) => fieldOf(status, name)));
  return {
    threads: total('Threads'),
    memoryBytes:
      1024 * (total('RssAnon') + total('VmSwap')) +
      Math.max(1024 * total('RssShmem'), filesInMemory(namespace)),
  };
}

/** Measures memory in bytes, counting shared memory once. Takes a few milliseconds per gigabyte. */
async function readSharedOnce(namespace: Namespace): Promise<number> {
  const ids = processesOf(namespace);
  const rollups: string[] = [];
  for (const id of ids) {
    rollups.push(await readFile(`${folderOf(namespace)}/${id}/smaps_rollup`, 'utf8').catch(() => ''));
  }
  const total = (name: string): number => 1024 * sum(rollups.map((rollup) => fieldOf(rollup, name)));
  return total('Pss_Anon') + total('SwapPss') + Math.max(total('Pss_Shmem'), filesInMemory(namespace));
}

function folderOf({ first }: Namespace): string {
  return `/proc/${first}/root/proc`;
}

function processesOf(namespace: Namespace): readonly string[] {
  return readdirSync(folderOf(namespace)).filter((name) => /^\d+$/.test(name));
}

const inodeBytes = 1024; // Kernel memory used by even the smallest file.

/**
 * Adds up the sizes of files in memory folders. The system call filter prevents in-memory files elsewhere.
 */
function filesInMemory({ first, memoryFolders }: Namespace): number {
  const sizes = memoryFolders.map((folder) => {
    const { blocks, bfree, bsize, files, ffree } = statfsSync(`/proc/${first}/root${folder}`);
    return (blocks - bfree) * bsize + (files - ffree) * inodeBytes;
  });
  return sum(sizes);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // The process has ended.
  }
}

/** Reads the number for a name from kernel output with one name per line. Returns zero if it is missing. */
function fieldOf(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
