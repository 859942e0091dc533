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
    unlessAborted(start(place, memoryBytes), signal, (code) => pool.giveBack(place.key, code));

  return {
    async run(place, call, signal) {
      mustBeOpen();
      const slot = createCodeSlot(turnstile);
      await slot.enter(signal);
      try {
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
