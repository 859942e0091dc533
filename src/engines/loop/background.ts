import { settlesBefore, type Output, type Scope } from '../../core/index.ts';
import type { LoopConversation } from './conversation.ts';
import { failedOutput } from './tools.ts';
import type { BackgroundCall } from './tools.ts';

/** A tracker of work that runs in the background while the model takes further steps. */
export interface Background {
  add(later: BackgroundCall): void;
  /**
   * Adds the results of finished work to the conversation. After a crash, a replay adds the same results at
   * the same point.
   */
  join(key: string): Promise<void>;
  /**
   * Waits for all running work and adds its results to the conversation. Resolves to false if nothing was
   * running or if the signal aborted first.
   */
  joinAll(signal: AbortSignal): Promise<boolean>;
}

/** Creates a tracker for background work. Results are added in the order in which the work started. */
export function createBackground(scope: Scope, conversation: LoopConversation): Background {
  const underWay = new Map<number, { readonly later: BackgroundCall; readonly output: Promise<Output> }>();
  const ended = new Set<number>();
  let count = 0;

  const report = async (numbers: readonly number[]): Promise<void> => {
    for (const number of numbers) {
      const work = underWay.get(number);
      if (work === undefined) continue;
      conversation.addLater(work.later, await work.output);
      underWay.delete(number);
    }
  };

  return {
    add(later) {
      const number = (count += 1);
      const output = later.output.catch(failedOutput);
      underWay.set(number, { later, output });
      void output.then(() => ended.add(number));
    },
    async join(key) {
      if (underWay.size === 0) return;
      await report(await scope.step(key, () => [...underWay.keys()].filter((number) => ended.has(number))));
    },
    async joinAll(signal) {
      if (underWay.size === 0) return false;
      const all = Promise.all([...underWay.values()].map(({ output }) => output));
      if (!(await settlesBefore(signal, all))) return false;
      await report([...underWay.keys()]);
      return true;
    },
  };
}
