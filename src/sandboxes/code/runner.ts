import { availableParallelism, totalmem } from 'node:os';
import {
  createLimiter,
  untilAborted,
  type CodePlace,
  type CodeRunner,
  type SandboxProvider,
} from '../../core/index.ts';
import type { CodeProcess } from './channel.ts';
import { closedCode } from './errors.ts';
import { startCodeProcess } from './process.ts';
import { createCodeSlot, isCalledByCode, takeCodeTurn } from './turn.ts';

/**
 * Calls functions of skills in processes in sandboxes, one at a time in each. Processes are started when they are needed,
 * kept for the next call with the same key, and end with this one. As many calls work at once as the machine can; those
 * that wait for their host do not count. There are `mostCalls` at most, working or waiting, beside those that the code of
 * others waits for: these come in at once, else all could wait for each other.
 */
export function createCodeRunner(sandboxes: SandboxProvider, mostCalls = bearableCalls()): CodeRunner {
  const calls = createLimiter(mostCalls);
  const working = createLimiter(Math.max(2, availableParallelism()));
  const pool = createCodePool();
  const started = new Set<Promise<CodeProcess>>();
  const closed = new AbortController();

  const mustBeOpen = (): void => {
    if (closed.signal.aborted) throw closedCode();
  };
  const start = (place: CodePlace, memoryBytes: number): Promise<CodeProcess> => {
    const coming = startCodeProcess(sandboxes, place, memoryBytes, closed.signal);
    started.add(coming);
    const forget = (): void => void started.delete(coming);
    coming.then(({ gone }) => gone.then(forget), forget);
    return coming;
  };
  const take = async (place: CodePlace, memoryBytes: number, signal: AbortSignal): Promise<CodeProcess> =>
    pool.take(place.key) ??
    untilAborted(signal, start(place, memoryBytes), (code) => pool.giveBack(place.key, code));

  return {
    async run(place, call, signal) {
      mustBeOpen();
      using _call = isCalledByCode() ? undefined : await calls.acquire(signal);
      const slot = createCodeSlot(working);
      try {
        await slot.enter(signal);
        mustBeOpen();
        const code = await take(place, call.memoryBytes, signal);
        try {
          return await takeCodeTurn(code, place, call, signal, slot);
        } finally {
          pool.giveBack(place.key, code);
        }
      } catch (thrown) {
        signal.throwIfAborted();
        mustBeOpen(); // closing broke it
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
          await (await coming.catch(() => undefined))?.end(); // one that did not come to be has ended
        }),
      );
    },
  };
}

const processBytes = 64 * 2 ** 20; // about what one takes that does nothing

/** As many as fit into a quarter of the machine's memory. */
function bearableCalls(): number {
  return Math.min(256, Math.max(16, Math.floor(totalmem() / 4 / processBytes)));
}

/** Processes that are kept for the next call of their kind. */
interface CodePool {
  /** One that is free and was started for this key. */
  take(key: string): CodeProcess | undefined;
  /** Keeps one that is fit for another call, and forgets any other. */
  giveBack(key: string, code: CodeProcess): void;
  /** Keeps none any more; they are ended by whoever started them. */
  close(): void;
}

interface Idle {
  readonly key: string;
  readonly code: CodeProcess;
  /** How many sweeps there had been when it was given back. */
  readonly since: number;
}

const mostIdle = 8;
const sweepMs = 15_000;
const mostSweeps = 4; // and so at most a minute

/** A pool without processes. They go when others are needed more, and when nobody has needed them for a minute. */
export function createCodePool(): CodePool {
  let idle: readonly Idle[] = []; // those that were needed last at the end
  let sweeps = 0;
  let sweep: NodeJS.Timeout | undefined;

  const keepOnly = (isKept: (one: Idle, index: number) => boolean): void => {
    const gone = idle.filter((one, index) => !isKept(one, index));
    idle = idle.filter((one) => !gone.includes(one));
    for (const { code } of gone) void code.end();
  };
  const sweepLater = (): void => {
    sweep ??= setTimeout(() => {
      sweep = undefined;
      sweeps += 1;
      keepOnly(({ code, since }) => code.isFit() && sweeps - since < mostSweeps);
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
      if (idle.length > mostIdle) keepOnly((_, index) => index > 0);
      sweepLater();
    },
    close() {
      clearTimeout(sweep);
      idle = [];
    },
  };
}
