import type { SnippetRunner } from '../core/code.ts';
import type { IsolateProcess } from './isolate-channel.ts';
import { startIsolateProcess } from './isolate-process.ts';
import { takeTurn } from './isolate-turn.ts';
import { closedSnippets } from './snippet-fault.ts';
import { isCalledBySnippet } from './snippet-functions.ts';
import { createTurnstile } from './snippet-turnstile.ts';

const mostAtOnce = 8;
const mostIdle = 2;

/**
 * Runs snippets in processes of their own, one at a time in each and every one in a new isolate. Processes are started
 * when they are needed, kept for the next snippet, replaced when they are lost, and end with this one.
 */
export function createIsolates(): SnippetRunner {
  const turnstile = createTurnstile(mostAtOnce);
  const all = new Set<IsolateProcess>();
  const idle: IsolateProcess[] = [];
  let isClosed = false;

  const mustBeOpen = (): void => {
    if (isClosed) throw closedSnippets();
  };
  const take = async (): Promise<IsolateProcess> => {
    for (let next = idle.pop(); next !== undefined; next = idle.pop()) if (next.isAlive()) return next;
    const started = await startIsolateProcess();
    all.add(started);
    return started;
  };
  const giveBack = async (isolate: IsolateProcess): Promise<void> => {
    if (isolate.isAlive() && idle.length < mostIdle && !isClosed) {
      idle.push(isolate);
      return;
    }
    all.delete(isolate);
    await isolate.end();
  };

  return {
    async run(snippet, signal) {
      mustBeOpen();
      // A snippet that another one waits for has its turn at once: else they could all wait for each other.
      const leave = isCalledBySnippet() ? () => undefined : await turnstile.enter(signal);
      try {
        mustBeOpen();
        const isolate = await take();
        try {
          mustBeOpen();
          return await takeTurn(isolate, snippet, signal);
        } catch (thrown) {
          mustBeOpen(); // closing broke it
          throw thrown;
        } finally {
          await giveBack(isolate);
        }
      } finally {
        leave();
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...all].map((isolate) => isolate.end()));
    },
  };
}
