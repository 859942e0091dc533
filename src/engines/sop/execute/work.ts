import {
  AgentError,
  freeze,
  hashOf,
  isAgentError,
  optional,
  reasonOf,
  toErrorData,
  toPlain,
  type ErrorData,
  type Json,
} from '../../../core/index.ts';
import {
  isVerdict,
  type BoundInput,
  type CheckedStep,
  type CommandCall,
  type Item,
  type SopCommand,
  type SopMonitor,
  type SopResult,
  type StepValue,
} from '../index.ts';
import type { PlanStop } from './end.ts';
import type { Meter } from './limits.ts';
import type { StepExecution } from './records.ts';

/** What a work came to: a value, the end of the whole plan, or both; neither when it was aborted before it began. */
export interface Performed {
  readonly value?: StepValue;
  readonly stop?: PlanStop;
}

/** Who looks on while work is done. */
interface Onlookers {
  readonly meter: Meter;
  readonly monitor: SopMonitor | undefined;
  /** The command runs now. */
  onStart(work: StepWork): void;
  /** It has run; told before the monitor, so that nothing is lost when that one ends the plan. */
  onValue(work: StepWork, value: StepValue): void;
}

/** Does one work within its limits; rejects only for what `onStart` and `onValue` throw. */
export async function performWork(
  work: StepWork,
  call: CommandCall,
  onlookers: Onlookers,
): Promise<Performed> {
  const { meter, monitor } = onlookers;
  const tooMuch = meter.begin();
  if (tooMuch !== undefined) return { stop: { status: 'failed', error: tooMuch } };
  if (monitor?.before !== undefined) {
    const stop = await stopFrom(() => monitor.before?.(call, meter.counts()));
    if (stop !== undefined) return { stop };
  }
  const isAborted = (): boolean => call.signal.aborted;
  if (!isAborted()) onlookers.onStart(work);
  if (isAborted()) return {};

  const value = await runCommand(work.step.runs, call);
  if (value.status === 'impossible')
    return { stop: { status: 'cannot-complete', reason: value.reason, origin: call.variable } };
  onlookers.onValue(work, value);
  const tooBad = value.status === 'fail' && !isAborted() ? meter.fail(work.step.runs.name) : undefined;
  if (tooBad !== undefined) return { value, stop: { status: 'failed', error: tooBad } };
  if (monitor?.after === undefined) return { value };
  const stop = await stopFrom(() => monitor.after?.(call, value, meter.counts()));
  return stop === undefined ? { value } : { value, stop };
}

async function stopFrom(watch: () => void | Promise<void>): Promise<PlanStop | undefined> {
  try {
    await watch();
    return undefined;
  } catch (thrown) {
    return { status: 'failed', error: failureOf(thrown) };
  }
}

/** What an execution came to: a value of its variable, or the end of the whole plan. */
type Outcome = StepValue | { readonly status: 'impossible'; readonly reason: string };

/** Runs a command once; never rejects. A success is a copy that nobody can change, whatever the command does with its own. */
async function runCommand(command: SopCommand, call: CommandCall): Promise<Outcome> {
  try {
    return outcomeOf(await command.run(call), call);
  } catch (thrown) {
    return { status: 'fail', error: failureOf(thrown), origin: call.variable };
  }
}

function outcomeOf(result: SopResult, { command, variable: origin }: CommandCall): Outcome {
  if (result === undefined) return { status: 'undefined', reason: 'the command gave no result', origin };
  if (!isVerdict(result)) return { status: 'success', value: keptValue(checked(result, command)) };
  switch (result.status) {
    case 'fail':
      return { status: 'fail', error: result.error, origin };
    case 'canceled':
      return { status: 'canceled', reason: result.reason, origin };
    case 'waiting':
      return { status: 'undefined', reason: 'waits for an answer', origin, question: result.question };
    case 'impossible':
      return { status: 'impossible', reason: result.reason };
  }
}

const kept = new WeakSet();

/** A copy, unless it is the value of another variable that is passed on: that may be large. */
function keptValue(result: unknown): Json {
  if (typeof result === 'object' && result !== null && kept.has(result)) return result as Json;
  const value = freeze(toPlain(result));
  if (typeof value === 'object' && value !== null) kept.add(value);
  return value;
}

/** Commands of others are not held to their types. */
function checked(result: unknown, command: string): unknown {
  const isValue = typeof result === 'number' ? Number.isFinite(result) : kinds.has(typeof result);
  if (isValue) return result;
  const what = typeof result === 'number' ? String(result) : `a ${typeof result}`;
  throw new AgentError('skill.failed', `"${command}" gave ${what}, which is no JSON value.`, {
    hint: 'Return text, a number, a boolean, null, a list or an object.',
  });
}

const kinds: ReadonlySet<string> = new Set(['string', 'boolean', 'object']);

/** Where calls are made. */
export interface CallPlace {
  /** The number of the plan, by handle. */
  readonly number: number;
  /** Taken out when it is given. */
  readonly answers: Map<string, Json>;
}

/** The call of a command; its key has what names have no place for before its colon. */
export function callOf(
  work: StepWork,
  { number, answers }: CallPlace,
  ways: Pick<CommandCall, 'signal' | 'waits'>,
): CommandCall {
  const { step, index, bound } = work;
  const answer = answers.get(answerName(work));
  answers.delete(answerName(work));
  return {
    command: step.command,
    variable: step.name,
    ...optional('index', index),
    ...bound,
    line: step.place.line,
    ...optional('comment', step.comment),
    ...optional('answer', answer),
    key: index === undefined ? `p${number}:${step.name}` : `p${number}[${index}]:${step.name}`,
    ...ways,
  };
}

/** What gets a value: a step, or one item of it. */
export interface ValueSlot {
  readonly step: CheckedStep;
  /** Of the item, where the step runs for each of a list. */
  readonly index?: number;
}

/** One execution that is to happen, with its input. */
export interface StepWork extends ValueSlot {
  readonly bound: BoundInput;
  readonly execution: StepExecution;
}

/** The work of a step whose needs have values; throws what binding its arguments throws. */
export function bindWork(step: CheckedStep, find: (variable: string) => Json, item?: Item): StepWork {
  const bound = step.inputFrom(find, item);
  const index = optional('index', item?.index);
  const execution = {
    variable: step.name,
    ...index,
    command: step.runs.name,
    input: hashOfInput(bound.input),
  };
  return { step, ...index, bound, execution };
}

const hashes = new WeakMap<object, string>();

/** The hash of an input, once for a value that is passed on whole: nobody can change that, and it may be large. */
function hashOfInput(input: Json): string {
  if (typeof input !== 'object' || input === null || !Object.isFrozen(input)) return hashOf(input);
  const known = hashes.get(input) ?? hashOf(input);
  hashes.set(input, known);
  return known;
}

/** The name by which its question is answered. */
export function answerName({ step, index }: ValueSlot): string {
  return index === undefined ? step.name : `${step.name}.${index}`;
}

/** What somebody else's code threw, as the failure that it is: never a defect of this package. */
export function failureOf(thrown: unknown): ErrorData {
  if (isAgentError(thrown)) return toErrorData(thrown);
  return { code: 'skill.failed', message: reasonOf(thrown) || 'unknown failure' };
}
