import { hash } from 'node:crypto';
import fc from 'fast-check';
import { createRandom, type Random } from '../support/random.ts';

/** What is asked of the loops of one file. */
export interface StressOrder {
  /** Counts as under `npm test`, full counts, or rounds until the time of the file is up. */
  readonly mode: 'small' | 'full' | 'budget';
  /** All seeds of all files derive from it. */
  readonly seed: number;
  /** The time budget of the file, from the start of its process. */
  readonly seconds?: number;
  /** The only round to do, to repeat a failure. */
  readonly round?: number;
}

/** How often a loop runs under `npm test`, which is also the least in a time budget, and with `--full`. */
export interface Counts {
  readonly small: number;
  readonly full: number;
  /** Its part of the time of the file, in proportion to the other loops there; 1 by default. */
  readonly weight?: number;
  /** How many rounds are done at a time; 1 by default. */
  readonly lanes?: number;
}

/** One repetition; its seed depends on the master seed, the file, the loop and its number, and on nothing else. */
export interface Round {
  /** Counted from 0. */
  readonly number: number;
  readonly seed: number;
  readonly random: Random;
}

/** Something that is repeated by one of its four functions, once: as often as its counts say, or until its time is up. */
export interface Loop {
  /** For what all rounds share. */
  readonly seed: number;
  /** Does rounds; resolves with how many it did. */
  rounds(work: (round: Round) => Promise<void> | void): Promise<number>;
  /** Does the work for items that are evenly spread over all of them, or random ones in a time budget. */
  each<Item>(
    items: readonly Item[],
    work: (item: Item, round: Round) => Promise<void> | void,
  ): Promise<number>;
  /** Does the work once with a count as its size; in a time budget, with sizes that double from the small to the full one. */
  sizes(work: (size: number, round: Round) => Promise<void> | void): Promise<number>;
  /** What fast-check needs to know to check a property that often. */
  runs<Values>(): fc.Parameters<Values>;
}

/** The loops of one file. */
export interface Loops {
  /** To be called while tests are declared: a file divides its time among all of its loops. */
  createLoop(counts: Counts): Loop;
  /** A number that is not a repetition: the small one in a time budget as well. */
  size(counts: Counts): number;
  /** Whether this is more than `npm test` does. */
  readonly isLong: boolean;
  /** How many rounds were done. */
  readonly rounds: number;
}

interface State {
  readonly weight: number;
  isOver: boolean;
  done: number;
}

/** The loops of a file, which is named from the root of the project; `now` is in milliseconds from the start of its process. */
export function createLoops(
  { mode, seed: master, seconds = 0, round: only }: StressOrder,
  { file, now }: { readonly file: string; readonly now: () => number },
): Loops {
  const [isFull, isTimed] = [mode === 'full', mode === 'budget'];
  const states: State[] = [];

  /** The moment at which the time of a loop that begins now is up. */
  function endOf(state: State): number {
    const weights = states.filter(({ isOver }) => !isOver).map(({ weight }) => weight);
    const share = state.weight / weights.reduce((sum, weight) => sum + weight, 0);
    return now() + Math.max(0, seconds * 1_000 - now()) * share;
  }

  /** How a person repeats a round. */
  function repeat(round: number): string {
    return `Repeat it: npm run stress -- ${isFull ? '--full ' : ''}--seed ${master} --round ${round} ${file}`;
  }

  function createLoop({ small, full, weight = 1, lanes = 1 }: Counts): Loop {
    const state: State = { weight, isOver: false, done: 0 };
    const index = states.push(state) - 1;
    const count = isFull ? full : small;
    const seedOf = (round: number): number => deriveSeed(master, file, index, round);
    const seed = seedOf(-1);

    /** Whether one more round is due after so many. */
    const isDue = (done: number, end: number): boolean =>
      isTimed ? done < Math.max(1, small) || now() < end : done < count;

    async function work(
      numbers: Iterable<number>,
      act: (round: Round) => Promise<void> | void,
    ): Promise<number> {
      const shared = numbers[Symbol.iterator]();
      const rest = { [Symbol.iterator]: () => shared };
      const lane = async (): Promise<void> => {
        // A round that throws closes the iterator, which ends the other lanes too.
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

/** Counts runs of fast-check, and ends them between two runs: its own time limits abandon a run that is under way. */
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

/** So many of the items, evenly spread over all of them. */
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
