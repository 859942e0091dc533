import { settlesBefore, type Output, type Scope } from '../../core/index.ts';
import type { LoopConversation } from './conversation.ts';
import { failedOutput } from './tools.ts';
import type { Later } from './tools.ts';

/** Work that goes on while the model does something else. */
export interface Background {
  add(later: Later): void;
  /** Tells the conversation what is there by now; what that is stays the same after a crash. */
  join(key: string): Promise<void>;
  /** Waits for all that is under way and tells the conversation; false when nothing was, or the signal came first. */
  joinAll(signal: AbortSignal): Promise<boolean>;
}

/** Nothing is under way yet; results join in the order in which the work began. */
export function createBackground(scope: Scope, conversation: LoopConversation): Background {
  const underWay = new Map<number, { readonly later: Later; readonly output: Promise<Output> }>();
  const ended = new Set<number>();
  let count = 0;

  const tell = async (numbers: readonly number[]): Promise<void> => {
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
      await tell(await scope.step(key, () => [...underWay.keys()].filter((number) => ended.has(number))));
    },
    async joinAll(signal) {
      if (underWay.size === 0) return false;
      const all = Promise.all([...underWay.values()].map(({ output }) => output));
      if (!(await settlesBefore(signal, all))) return false;
      await tell([...underWay.keys()]);
      return true;
    },
  };
}
