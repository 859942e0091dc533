import { readFileSync, readdirSync, statfsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ProcessResult, SandboxLimits } from '../../core/index.ts';
import { threadsPerProcess } from './command-line.ts';
import type { MemoryGroup } from './memory-group.ts';
import { hasEnded, sharedMemoryOf, type MappedProcess } from './shared-memory.ts';

/** The limit that a command's processes exceeded. */
export type Over = NonNullable<ProcessResult['over']>;

// Estimates of how fast processes can consume resources, per second. Each check is scheduled before
// processes could exceed a limit at this rate.
const memoryPace = 2 ** 31; // Bytes per second.
const processPace = 1000;
const soonest = 20; // The time until the first check, in milliseconds. Most commands end earlier.
const shortest = 10;
const longest = 250;

/**
 * Measures the processes of a namespace repeatedly. Calls `onOver` once if they exceed a limit. Returns a
 * function that stops the checks.
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
    const usage = readNamespaceUsage(namespace);
    if (usage.threads > limits.processes * threadsPerProcess) {
      onOver('processes');
      return;
    }
    const began = performance.now();
    const used = await measureMemory(namespace, usage, limits.memoryBytes);
    // Memory that moves from one process or kind to another during a measurement is counted twice. A second
    // measurement confirms the result.
    const isOver =
      used > limits.memoryBytes &&
      (await measureMemory(namespace, readNamespaceUsage(namespace), limits.memoryBytes)) >
        limits.memoryBytes;
    if (isStopped) return;
    if (isOver) {
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
    if (isStopped) return;
    const wait = Math.min(Math.max(milliseconds, shortest), longest);
    timer = setTimeout(() => void look().catch(retry), wait).unref();
  };

  const retry = (thrown: unknown): void => {
    if (!hasEnded(thrown)) again(longest);
  };

  again(soonest);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** The process namespace of a sandbox, as the host sees it. */
export interface Namespace {
  /** The host PID of the first process in the namespace. */
  readonly first: number;
  /** The sandbox folders whose files are in memory. */
  readonly memoryFolders: readonly string[];
  /**
   * The control group in which the kernel limits the total memory of all processes, if the machine allows
   * it.
   */
  readonly memory?: MemoryGroup | undefined;
}

/** Counts the processes in a namespace. This is fast, even for many processes. */
export function countProcesses(namespace: Namespace): number {
  return processesOf(namespace).length;
}

/**
 * The resources used by all processes of a namespace together. Memory that processes share is counted for
 * each of them.
 */
interface NamespaceUsage {
  readonly threads: number;
  /** Resident shared memory, in bytes. */
  readonly sharedBytes: number;
  readonly processes: readonly ProcessUsage[];
}

interface ProcessUsage extends MappedProcess {
  /** Private memory that the kernel cannot reclaim, in bytes. */
  readonly privateBytes: number;
}

// Includes page tables, because a program can fill memory with them.
const privateFields = ['RssAnon', 'VmSwap', 'VmPTE'];

/** Inspects each process. Skips processes that have just ended. */
function readNamespaceUsage(namespace: Namespace): NamespaceUsage {
  const folders = processesOf(namespace).map((id) => `${folderOf(namespace)}/${id}`);
  const statuses = folders.map((folder) => textOf(`${folder}/status`));
  const total = (name: string): number => sum(statuses.map((status) => fieldsOf(status, [name])));
  return {
    threads: total('Threads'),
    sharedBytes: 1024 * total('RssShmem'),
    processes: statuses.map((status, index) => ({
      folder: folders[index] ?? '',
      privateBytes: 1024 * fieldsOf(status, privateFields),
      // The size of all mappings except private data and the stack, which contain no shared memory.
      atMost: 1024 * (fieldsOf(status, ['VmSize']) - fieldsOf(status, ['VmData', 'VmStk'])),
    })),
  };
}

/**
 * Returns the memory that a namespace uses, in bytes. The result may be an estimate, but it exceeds the
 * limit only if the actual use does.
 */
async function measureMemory(
  namespace: Namespace,
  { sharedBytes, processes }: NamespaceUsage,
  limit: number,
): Promise<number> {
  const { bytes, unread } = await sharedMemoryOf(processes, namespace.memory?.sharedBytes);
  const shared = filesInMemory(namespace) + bytes;
  const own = processes.map(({ privateBytes }) => privateBytes);
  const [atLeast, atMost] = [Math.max(0, ...own) + shared, sum(own) + Math.max(sharedBytes, shared)];
  if (atMost <= limit) return atMost;
  return atLeast > limit ? atLeast : readExact(processes, shared, unread);
}

/**
 * Measures memory in bytes and counts shared memory only once. Takes a few milliseconds per gigabyte.
 * `shared` is the total size of in-memory files and anonymous shared memory, in bytes. Processes in
 * `unread` have too many mappings for an exact measurement.
 */
async function readExact(
  processes: readonly MappedProcess[],
  shared: number,
  unread: ReadonlySet<MappedProcess>,
): Promise<number> {
  let [own, mapped] = [0, 0];
  for (const process of processes) {
    const { folder } = process;
    const rollup = unread.has(process)
      ? ''
      : await readFile(`${folder}/smaps_rollup`, 'utf8').catch(() => '');
    const status = textOf(`${folder}/status`);
    const tables = fieldsOf(status, ['VmPTE']);
    // The kernel does not let this user inspect some programs. For these, use the less exact numbers in
    // `status`.
    const isHidden = rollup === '';
    own +=
      1024 *
      (isHidden ? fieldsOf(status, privateFields) : tables + fieldsOf(rollup, ['Pss_Anon', 'SwapPss']));
    mapped += 1024 * (isHidden ? fieldsOf(status, ['RssShmem']) : fieldsOf(rollup, ['Pss_Shmem']));
  }
  return own + Math.max(mapped, shared);
}

function folderOf({ first }: Namespace): string {
  return `/proc/${first}/root/proc`;
}

function processesOf(namespace: Namespace): readonly string[] {
  return readdirSync(folderOf(namespace)).filter((name) => /^\d+$/.test(name));
}

const inodeBytes = 1024; // The kernel memory that even the smallest file uses.

/**
 * Adds up the memory that files in memory folders use, in bytes. The system call filter prevents processes
 * from creating in-memory files elsewhere.
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
  } catch (thrown) {
    if (hasEnded(thrown)) return '';
    throw thrown;
  }
}

/**
 * Adds up the values of the named fields in kernel output with one field per line. Missing fields count as
 * zero.
 */
function fieldsOf(text: string, names: readonly string[]): number {
  return sum(names.map((name) => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
