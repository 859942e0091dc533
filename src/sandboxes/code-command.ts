import type { CodePlace } from '../core/code.ts';
import { entryFiles } from '../core/package-files.ts';
import type { Command, Grant } from '../core/sandbox.ts';

const mebibyte = 2 ** 20;
const leastHeap = 32;

/** What starts a process that calls functions of skills, and what it may touch: as much as they, and its own program. */
export function codeCommand(
  { grant, startsProcesses }: CodePlace,
  memoryBytes: number,
): { readonly command: Command; readonly grant: Grant } {
  const { entry, read } = entryFiles('sandboxes/code-worker/worker', ['sandboxes/code-worker']);
  // The sandbox says which files; Node itself says that nothing is started, and no thread and no machine code.
  const alone = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*'];
  const words = [
    ...(startsProcesses ? [] : alone),
    ...[`--max-old-space-size=${heapWithin(memoryBytes)}`, '--disable-sigusr1'],
    ...['ExperimentalWarning', 'MODULE_TYPELESS_PACKAGE_JSON'].map((kind) => `--disable-warning=${kind}`),
  ];
  return {
    command: { program: process.execPath, arguments: [...words, entry] },
    grant: { ...grant, read: [...grant.read, ...read] },
  };
}

/** Mebibytes for objects, so that the engine tidies up before the whole process is over its limit. */
function heapWithin(memoryBytes: number): number {
  return Math.max(leastHeap, Math.floor((0.75 * memoryBytes) / mebibyte));
}
