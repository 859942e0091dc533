import { availableParallelism, totalmem } from 'node:os';
import type { CodePlace, CodeRunner } from '../core/code.ts';
import type { SandboxProvider } from '../core/sandbox.ts';
import { isCalledByCode } from './called-by-code.ts';
import type { CodeProcess } from './code-channel.ts';
import { closedCode } from './code-fault.ts';
import { createCodePool } from './code-pool.ts';
import { startCodeProcess } from './code-process.ts';
import { createCodeSlot } from './code-slot.ts';
import { takeCodeTurn } from './code-turn.ts';
import { createTurnstile } from './snippet-turnstile.ts';
import { unlessAborted } from '../core/async.ts';

/**
 * Calls functions of skills in processes in sandboxes, one at a time in each. Processes are started when they are needed,
 * kept for the next call with the same key, and end with this one. As many calls work at once as the machine can; those
 * that wait for their host do not count. There are `mostCalls` at most, working or waiting, beside those that the code of
 * others waits for: these come in at once, else all could wait for each other.
 */
export function createCodeRunner(sandboxes: SandboxProvider, mostCalls = bearableCalls()): CodeRunner {
  const door = createTurnstile(mostCalls);
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
      const leave = isCalledByCode() ? () => undefined : await door.enter(signal);
      const slot = createCodeSlot(turnstile);
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
        leave();
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
