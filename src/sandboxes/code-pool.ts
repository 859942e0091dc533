import type { CodeProcess } from './code-channel.ts';

/** Processes that are kept for the next call of their kind. */
export interface CodePool {
  /** One that is free and was started for this key. */
  take(key: string): CodeProcess | undefined;
  giveBack(key: string, code: CodeProcess): void;
  /** Has one ended with all others, whether it is free or not. */
  watch(code: CodeProcess): void;
  close(): Promise<void>;
}

interface Idle {
  readonly key: string;
  readonly code: CodeProcess;
  readonly since: number;
}

const mostIdle = 8;
const mostIdleMs = 60_000;

/** A pool without processes. They go when others are needed more, and when nobody has needed them for a minute. */
export function createCodePool(): CodePool {
  const all = new Set<CodeProcess>();
  let idle: Idle[] = []; // those that were needed last at the end
  let sweep: NodeJS.Timeout | undefined;

  const drop = async (code: CodeProcess): Promise<void> => {
    await code.end();
    all.delete(code);
  };
  const keepOnly = (isKept: (one: Idle, index: number) => boolean): void => {
    const gone = idle.filter((one, index) => !isKept(one, index));
    if (gone.length === 0) return;
    idle = idle.filter((one) => !gone.includes(one));
    for (const { code } of gone) void drop(code);
  };
  const sweepLater = (): void => {
    sweep ??= setTimeout(() => {
      sweep = undefined;
      const now = performance.now();
      keepOnly(({ code, since }) => code.isAlive() && now - since < mostIdleMs);
      if (idle.length > 0) sweepLater();
    }, mostIdleMs / 4).unref();
  };
  return {
    take(key) {
      for (let index = idle.length - 1; index >= 0; index -= 1) {
        const one = idle[index];
        if (one?.key !== key) continue;
        idle.splice(index, 1);
        if (one.code.isAlive()) return one.code;
        void drop(one.code);
      }
      return undefined;
    },
    giveBack(key, code) {
      if (!code.isAlive()) return void drop(code);
      idle.push({ key, code, since: performance.now() });
      keepOnly((_, index) => index >= idle.length - mostIdle);
      sweepLater();
    },
    watch: (code) => void all.add(code),
    async close() {
      clearTimeout(sweep);
      await Promise.all([...all].map((code) => code.end()));
    },
  };
}
