import type { CodeProcess } from './code-channel.ts';

/** Processes that are kept for the next call of their kind. */
export interface CodePool {
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
