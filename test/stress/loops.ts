import { hash } from 'node:crypto';
import fc from 'fast-check';
import { createRandom, type Random } from '../support/random.ts';

/** Instructions for the loops of one file. */
export interface StressOrder {
  /** The small counts of `npm test`, the full counts, or rounds until the file's time budget is used. */
  readonly mode: 'small' | 'full' | 'budget';
  /** The seed from which all files derive their seeds. */
  readonly seed: number;
  /** The file's time budget in seconds, from the start of its process. */
  readonly seconds?: number;
  /** If set, runs only this round, to reproduce a failure. */
  readonly round?: number;
}

/**
 * The number of rounds under `npm test`, which is also the minimum in a time budget, and the number with
 * `--full`.
 */
export interface Counts {
  readonly small: number;
  readonly full: number;
  /** The loop's share of the file's time, relative to the file's other loops. The default is 1. */
  readonly weight?: number;
  /** The number of concurrent rounds. The default is 1. */
  readonly lanes?: number;
}

/** One round. Its seed depends only on the master seed, the file, the loop and the round's number. */
export interface Round {
  /** Counted from 0. */
  readonly number: number;
  readonly seed: number;
  readonly random: Random;
}

/**
 * A loop. Call exactly one of its four functions, once. It repeats the work as often as the counts say, or
 * until the time is up.
 */
export interface Loop {
  /** A seed for values that all rounds share. */
  readonly seed: number;
  /** Runs rounds. Resolves with their number. */
  rounds(work: (round: Round) => Promise<void> | void): Promise<number>;
  /** Runs the work for items that are evenly spread over the list. In a time budget, the items are random. */
  each<Item>(
    items: readonly Item[],
    work: (item: Item, round: Round) => Promise<void> | void,
  ): Promise<number>;
  /**
   * Runs the work once with the count as its size. In a time budget, doubles the size from the small to the
   * full count.
   */
  sizes(work: (size: number, round: Round) => Promise<void> | void): Promise<number>;
  /** Returns the fast-check parameters that check a property as often as the counts say. */
  runs<Values>(): fc.Parameters<Values>;
}

/** The loops of one file. */
export interface Loops {
  /**
   * Creates a loop. Must be called while tests are declared, because a file divides its time among all of its
   * loops.
   */
  createLoop(counts: Counts): Loop;
  /** Returns a size that is not a number of rounds. A time budget uses the small size. */
  size(counts: Counts): number;
  /** Whether the counts exceed those of `npm test`. */
  readonly isLong: boolean;
  /** The number of rounds run so far. */
  readonly rounds: number;
}

interface State {
  readonly weight: number;
  isOver: boolean;
  done: number;
}

/**
 * Creates the loops of a file, whose path is relative to the project. `now` returns milliseconds since the
 * start of the process.
 */
export function createLoops(
  { mode, seed: master, seconds = 0, round: only }: StressOrder,
  { file, now }: { readonly file: string; readonly now: () => number },
): Loops {
  const [isFull, isTimed] = [mode === 'full', mode === 'budget'];
  const states: State[] = [];

  /** Returns the time at which a loop that starts now must end. */
  function endOf(state: State): number {
    const weights = states.filter(({ isOver }) => !isOver).map(({ weight }) => weight);
    const share = state.weight / weights.reduce((sum, weight) => sum + weight, 0);
    return now() + Math.max(0, seconds * 1_000 - now()) * share;
  }

  /** Returns a sentence with the command that repeats a round. */
  function repeat(round: number): string {
    return `Repeat it: npm run stress -- ${isFull ? '--full ' : ''}--seed ${master} --round ${round} ${file}`;
  }

  function createLoop({ small, full, weight = 1, lanes = 1 }: Counts): Loop {
    const state: State = { weight, isOver: false, done: 0 };
    const index = states.push(state) - 1;
    const count = isFull ? full : small;
    const seedOf = (round: number): number => deriveSeed(master, file, index, round);
    const seed = seedOf(-1);

    /** Returns whether another round is due after `done` rounds. */
    const isDue = (done: number, end: number): boolean =>
      isTimed ? done < Math.max(1, small) || now() < end : done < count;

    async function work(
      numbers: Iterable<number>,
      act: (round: Round) => Promise<void> | void,
    ): Promise<number> {
      const shared = numbers[Symbol.iterator]();
      const rest = { [Symbol.iterator]: () => shared };
      const lane = async (): Promise<void> => {
        // If a round throws, the iterator closes, which also ends the other lanes.
        for (const number of rest) {
          try {
            await act({ number, seed: seedOf(number), random: createRandom(seedOf(number)) });
          } catch (thrown) {
            throw new Error(`Round ${number} failed. ${repeat(number)}`, { cause: thrown });
          }
          state.done += 1;
        }
      };
      const ends = await Promise.allSettled(Array.from({ length: lanes }, lane));
      state.isOver = true;
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      return state.done;
    }

    function* roundNumbers(): Generator<number> {
      const end = endOf(state);
      if (only !== undefined) yield only;
      else for (let number = 0; isDue(number, end); number += 1) yield number;
    }

    function* itemNumbers(length: number): Generator<number> {
      const end = endOf(state);
      const all = Array.from({ length }, (_, index) => index);
      const chosen = isTimed ? shuffle(all, createRandom(seed)) : spread(all, count);
      if (only !== undefined) yield* all.filter((number) => number === only);
      else for (const [done, number] of chosen.entries()) if (isDue(done, end)) yield number;
    }

    function* sizeNumbers(): Generator<number> {
      const end = endOf(state);
      let began = now();
      yield only ?? 0;
      if (only !== undefined || !isTimed) return;
      for (let number = 1; small * 2 ** (number - 1) < full; number += 1) {
        const took = now() - began;
        if (now() + 2 * took > end) return;
        began = now();
        yield number;
      }
    }

    return {
      seed,
      rounds: (act) => work(roundNumbers(), act),
      each: (items, act) => work(itemNumbers(items.length), (round) => act(items[round.number]!, round)),
      sizes: (act) =>
        work(sizeNumbers(), (round) => act(isFull ? full : Math.min(full, small * 2 ** round.number), round)),
      runs() {
        const end = endOf(state);
        const isTimeUp = (done: number): boolean => isTimed && only === undefined && !isDue(done, end);
        return {
          seed,
          numRuns: only !== undefined ? 1 : isTimed ? 2 ** 31 : count,
          ...(only !== undefined && { path: String(only) }),
          plugins: [watchRuns(state, isTimeUp, repeat)],
        };
      },
    };
  }

  return {
    createLoop,
    size: ({ small, full }) => (isFull ? full : small),
    isLong: mode !== 'small',
    get rounds() {
      return states.reduce((sum, { done }) => sum + done, 0);
    },
  };
}

/**
 * Counts fast-check's runs and stops between two of them. Fast-check's own time limit would abandon the
 * current run.
 */
function watchRuns<Values>(
  state: State,
  isTimeUp: (done: number) => boolean,
  repeat: (round: number) => string,
): NonNullable<fc.Parameters<Values>['plugins']>[number] {
  return () => ({
    decorateRun: (run) => (values) => {
      if (isTimeUp(state.done)) return new fc.PreconditionFailure(true);
      state.done += 1;
      return run(values);
    },
    onAllRunsComplete(details) {
      state.isOver = true;
      if (!details.failed) return;
      const round = Number(details.counterexamplePath?.split(':')[0] ?? 0);
      const message = `${fc.defaultReportMessage(details) ?? ''}\n${repeat(round)}`;
      throw new Error(message, { cause: details.errorInstance });
    },
  });
}

function deriveSeed(...from: readonly (string | number)[]): number {
  return hash('sha256', from.join('\n'), 'buffer').readInt32BE();
}

/** Returns at most `most` items, evenly spread over the list. */
function spread<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items;
  return Array.from(
    { length: most },
    (_, index) => items[Math.floor((index * items.length) / most) + (index % 2)]!,
  );
}

function shuffle<Item>(items: readonly Item[], random: Random): readonly Item[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.below(rest.length), 1)[0]!);
}
