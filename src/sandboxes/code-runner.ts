import { availableParallelism } from 'node:os';
import type { CodePlace, CodeRunner } from '../core/code.ts';
import type { SandboxProvider } from '../core/sandbox.ts';
import type { CodeProcess } from './code-channel.ts';
import { closedCode } from './code-fault.ts';
import { createCodePool } from './code-pool.ts';
import { startCodeProcess } from './code-process.ts';
import { createCodeSlot } from './code-slot.ts';
import { takeCodeTurn } from './code-turn.ts';
import { createTurnstile } from './snippet-turnstile.ts';
import { unlessAborted } from './unless-aborted.ts';

/**
 * Calls functions of skills in processes in sandboxes, one at a time in each. Processes are started when they are needed,
 * kept for the next call with the same key, and end with this one. As many calls work at once as the machine can; those
 * that wait for their host do not count.
 */
export function createCodeRunner(sandboxes: SandboxProvider): CodeRunner {
  const turnstile = createTurnstile(Math.max(2, availableParallelism()));
  const pool = createCodePool();
  const starting = new Set<Promise<CodeProcess>>();
  let isClosed = false;

  const mustBeOpen = (): void => {
    if (isClosed) throw closedCode();
  };
  const start = async (place: CodePlace, memoryBytes: number): Promise<CodeProcess> => {
    const code = await startCodeProcess(sandboxes, place, memoryBytes);
    pool.watch(code);
    return code;
  };
  /** One that comes when nobody waits any more is kept for others. */
  const take = async (place: CodePlace, memoryBytes: number, signal: AbortSignal): Promise<CodeProcess> => {
    const free = pool.take(place.key);
    if (free !== undefined) return free;
    const started = start(place, memoryBytes);
    starting.add(started);
    void started.catch(() => undefined).finally(() => starting.delete(started)); // whoever waits for it hears of it
    return unlessAborted(started, signal, (code) => pool.giveBack(place.key, code));
  };

  return {
    async run(place, call, signal) {
      mustBeOpen();
      const slot = createCodeSlot(turnstile);
      await slot.enter(signal);
      try {
        mustBeOpen();
        const code = await take(place, call.memoryBytes, signal);
        try {
          mustBeOpen();
          return await takeCodeTurn(code, place, call, signal, slot);
        } catch (thrown) {
          signal.throwIfAborted();
          mustBeOpen(); // closing broke it
          throw thrown;
        } finally {
          pool.giveBack(place.key, code);
        }
      } finally {
        slot.leave();
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...starting].map((started) => started.catch(() => undefined))); // they cannot be ended before
      await pool.close();
    },
  };
}
