import { AgentError, optional, type Json } from '../../../core/index.ts';
import { reachInto, type CheckedStep } from '../index.ts';
import type { PlanRecords } from './records.ts';
import type { Board, Settled } from './values.ts';
import { bindWork, failureOf, type ValueSlot, type StepWork } from './work.ts';

/** What a step is offered to. */
interface Takers {
  readonly board: Board;
  readonly records: PlanRecords;
  /** Has work done that was never done before. */
  add(work: StepWork): void;
}

/** A step whose turn it is, with all that it has to do. */
interface Offer {
  readonly step: CheckedStep;
  /** Why it has no items. */
  readonly failure?: Settled;
  readonly parts: readonly Part[];
}

/** One execution of a step: what it came to before, or why it cannot happen, or else only its work. */
interface Part {
  readonly slot: ValueSlot;
  readonly work?: StepWork;
  readonly settled?: Settled;
}

/** Binds what a step has to do, and claims its own records. All that begins at once is bound before any of it is settled. */
export function bindStep(step: CheckedStep, { board, records }: Takers): Offer {
  const list = attempt(step, () => (step.list === undefined ? undefined : listOf(step, board.find)));
  if ('value' in list) return { step, failure: list, parts: [] };
  const items = list.made?.map((value, index) => ({ value, index })) ?? [undefined];
  const parts = items.map((item): Part => {
    const made = attempt(step, () => bindWork(step, board.find, item));
    if ('value' in made) return { slot: { step, ...optional('index', item?.index) }, settled: made };
    const value = isAnswer(step) ? undefined : records.claim(made.made.execution);
    const kept = value === undefined ? undefined : ({ value, isKept: true } as const);
    return { slot: made.made, work: made.made, ...optional('settled', kept) };
  });
  records.release(step.name);
  return { step, parts };
}

/** Has a step run, or settles it where nothing has to run; whether it is settled by that. */
export function offerStep({ step, failure, parts }: Offer, { board, records, add }: Takers): boolean {
  if (failure !== undefined || parts.length === 0) {
    board.settle(step, failure ?? { value: { status: 'success', value: [] } });
    return true;
  }
  if (step.list !== undefined) board.expect(step, parts.length);
  let isSettled = false;
  for (const { slot, work, settled } of parts) {
    const known = settled ?? (work === undefined || isAnswer(step) ? undefined : movedTo(work, records));
    if (known !== undefined) isSettled = board.take(slot, known);
    else if (work !== undefined) add(work);
  }
  return isSettled;
}

function movedTo({ execution }: StepWork, records: PlanRecords): Settled | undefined {
  const value = records.claimMoved(execution);
  return value === undefined ? undefined : { value, isKept: true };
}

/** Answers are made anew. */
function isAnswer({ runs }: CheckedStep): boolean {
  return runs.isAnswer === true;
}

/** What is made, or the failure of its step. */
function attempt<Made>({ name }: CheckedStep, make: () => Made): { readonly made: Made } | Settled {
  try {
    return { made: make() };
  } catch (thrown) {
    return { value: { status: 'fail', error: failureOf(thrown), origin: name } };
  }
}

/** The list of an `each`; throws `usage.bad-input` when it leads nowhere or to something else. */
function listOf({ name, list, each }: CheckedStep, find: (variable: string) => Json): readonly Json[] {
  if (list === undefined) return [];
  const value = reachInto(list.variable, find(list.variable), list.keys);
  if (Array.isArray(value)) return value as readonly Json[];
  const path = each?.path ?? list.variable;
  throw new AgentError('usage.bad-input', `@${name} runs for each of $${path}, which is no list.`, {
    hint: `Give "each" a list, or run the command on $${path} as a whole.`,
  });
}
