import { availableParallelism, totalmem } from 'node:os';
import {
  createLimiter,
  untilAborted,
  type CodeContext,
  type CodeRunner,
  type SandboxProvider,
} from '../../core/index.ts';
import type { CodeProcess } from './channel.ts';
import { closedCode } from './errors.ts';
import { startCodeProcess } from './process.ts';
import { createCodeSlot, isCalledByCode, takeCodeTurn } from './turn.ts';

/**
 * Creates a runner that calls skill functions in sandboxed processes. A process makes one call at a time.
 * It starts on demand, and is kept for the next call with the same key. All processes end with this
 * process. At most `maxCalls` calls are open at the same time. Of these, only as many run in parallel as
 * the machine has cores, but at least two. A call that is waiting for its host does not occupy a core.
 * Calls from skill code do not wait for `maxCalls`, because otherwise all calls could wait for each other.
 */
export function createCodeRunner(sandboxes: SandboxProvider, maxCalls = bearableCalls()): CodeRunner {
  const calls = createLimiter(maxCalls);
  const working = createLimiter(Math.max(2, availableParallelism()));
  const pool = createCodePool();
  const started = new Set<Promise<CodeProcess>>();
  const closed = new AbortController();

  const mustBeOpen = (): void => {
    if (closed.signal.aborted) throw closedCode();
  };
  const start = (context: CodeContext, memoryBytes: number): Promise<CodeProcess> => {
    const coming = startCodeProcess(sandboxes, context, memoryBytes, closed.signal);
    started.add(coming);
    const forget = (): void => void started.delete(coming);
    coming.then(({ gone }) => gone.then(forget), forget);
    return coming;
  };
  const take = async (context: CodeContext, memoryBytes: number, signal: AbortSignal): Promise<CodeProcess> =>
    pool.take(context.key) ??
    untilAborted(signal, start(context, memoryBytes), (code) => pool.giveBack(context.key, code));

  return {
    async run(context, call, signal) {
      mustBeOpen();
      using _call = isCalledByCode() ? undefined : await calls.acquire(signal);
      const slot = createCodeSlot(working);
      try {
        await slot.enter(signal);
        mustBeOpen();
        const code = await take(context, call.memoryBytes, signal);
        try {
          return await takeCodeTurn(code, context, call, signal, slot);
        } finally {
          pool.giveBack(context.key, code);
        }
      } catch (thrown) {
        signal.throwIfAborted();
        mustBeOpen(); // If the runner was closed, this error explains why.
        throw thrown;
      } finally {
        slot.leave();
      }
    },
    async close() {
      closed.abort();
      pool.close();
      await Promise.all(
        [...started].map(async (coming) => {
          // A process that failed to start needs no cleanup.
          await (await coming.catch(() => undefined))?.end();
        }),
      );
    },
  };
}

const processBytes = 64 * 2 ** 20; // The approximate memory use of an idle process, in bytes.

/**
 * Returns the number of calls, from 16 to 256, whose processes fit into a quarter of the machine's memory.
 */
function bearableCalls(): number {
  return Math.min(256, Math.max(16, Math.floor(totalmem() / 4 / processBytes)));
}

/** The idle processes, which wait for the next call with the same key. */
interface CodePool {
  /** Removes and returns an idle process with this key. */
  take(key: string): CodeProcess | undefined;
  /** Adds a process to the pool if it can take another call. */
  giveBack(key: string, code: CodeProcess): void;
  /** Empties the pool and accepts no more processes. Does not end the processes. */
  close(): void;
}

interface Idle {
  readonly key: string;
  readonly code: CodeProcess;
  /** The number of sweeps that had run when the process became idle. */
  readonly since: number;
}

const maxIdle = 8;
const sweepMs = 15_000;
const maxSweeps = 4; // A process is kept idle for at most one minute.

/** Creates an empty pool. Ends an idle process after a minute, or earlier if the pool is full. */
export function createCodePool(): CodePool {
  let idle: readonly Idle[] = []; // The most recently used process comes last.
  let sweeps = 0;
  let sweep: NodeJS.Timeout | undefined;

  const retainOnly = (isRetained: (one: Idle, index: number) => boolean): void => {
    const gone = idle.filter((one, index) => !isRetained(one, index));
    idle = idle.filter((one) => !gone.includes(one));
    for (const { code } of gone) void code.end();
  };
  const sweepLater = (): void => {
    sweep ??= setTimeout(() => {
      sweep = undefined;
      sweeps += 1;
      retainOnly(({ code, since }) => code.isFit() && sweeps - since < maxSweeps);
      if (idle.length > 0) sweepLater();
    }, sweepMs).unref();
  };
  return {
    take(key) {
      const found = idle.findLast((one) => one.key === key && one.code.isFit());
      idle = idle.filter((one) => one !== found);
      return found?.code;
    },
    giveBack(key, code) {
      if (!code.isFit()) return;
      idle = [...idle, { key, code, since: sweeps }];
      if (idle.length > maxIdle) retainOnly((_, index) => index > 0);
      sweepLater();
    },
    close() {
      clearTimeout(sweep);
      idle = [];
    },
  };
}
