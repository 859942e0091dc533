import type { Board } from './board.ts';
import type { CheckedStep, Item } from '../checked-plan.ts';
import { failureOf } from './failure-of.ts';
import { listOf } from './list-of.ts';
import type { Records } from './records.ts';
import type { Settled } from './tell-events.ts';
import { bindWork, type Work } from './work.ts';

/** What a step is offered to. */
export interface Takers {
  readonly board: Board;
  readonly records: Records;
  /** Has work done that was never done before. */
  add(work: Work): void;
}

/** Has a step run whose turn it is, or settles it where nothing has to run; whether it is settled by that. */
export function offerStep(step: CheckedStep, takers: Takers): boolean {
  const { board } = takers;
  if (step.list === undefined) return offerOne(step, undefined, takers);
  const list = attempt(step, () => listOf(step, board.find));
  if ('value' in list || list.made.length === 0) {
    board.settle(step, 'value' in list ? list : { value: { status: 'success', value: [] } });
    return true;
  }
  board.expect(step, list.made.length);
  let isSettled = false;
  for (const [index, value] of list.made.entries()) isSettled = offerOne(step, { value, index }, takers);
  return isSettled;
}

function offerOne(step: CheckedStep, item: Item | undefined, takers: Takers): boolean {
  const { board, records } = takers;
  const work = attempt(step, () => bindWork(step, board.find, item));
  if ('value' in work) return board.take({ step, ...indexOf(item) }, work);
  const kept = step.runs.isAnswer === true ? undefined : records.claim(work.made.execution);
  if (kept !== undefined) return board.take(work.made, { value: kept, isKept: true });
  takers.add(work.made);
  return false;
}

function indexOf(item: Item | undefined): { readonly index?: number } {
  return item === undefined ? {} : { index: item.index };
}

/** What is made, or the failure of its step. */
function attempt<Made>({ name }: CheckedStep, make: () => Made): { readonly made: Made } | Settled {
  try {
    return { made: make() };
  } catch (thrown) {
    return { value: { status: 'fail', error: failureOf(thrown), origin: name } };
  }
}
