import type { CommandResult, SandboxLimits } from '../core/sandbox.ts';
import { threadsPerProcess } from './contained-script.ts';
import { countProcesses, readNamespaceUsage, readSharedOnce, type Namespace } from './namespace-usage.ts';

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
