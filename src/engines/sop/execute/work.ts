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

/**
 * The outcome of work: a value, the end of the plan, or both. Empty if the work was aborted before it
 * started.
 */
export interface Performed {
  readonly value?: StepValue;
  readonly stop?: PlanStop;
}

/** The limits of a plan, and callbacks for executions. */
interface Onlookers {
  readonly meter: Meter;
  readonly monitor: SopMonitor | undefined;
  /** Called when the command starts. */
  onStart(work: StepWork): void;
  /**
   * Called after the command has ended and before the monitor is called. The value is kept even if the
   * monitor ends the plan.
   */
  onValue(work: StepWork, value: StepValue): void;
}

/** Executes a command within the limits of the plan. Rejects only if `onStart` or `onValue` throws. */
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

/** The outcome of an execution: the value of a variable, or the end of the plan. */
type Outcome = StepValue | { readonly status: 'impossible'; readonly reason: string };

/**
 * Runs a command once and returns its outcome. Copies and freezes a result, so that the command cannot change
 * it later. Never rejects.
 */
async function runCommand(command: SopCommand, call: CommandCall): Promise<Outcome> {
  try {
    return outcomeOf(await command.run(call), call);
  } catch (thrown) {
    return { status: 'fail', error: failureOf(thrown), origin: call.variable };
  }
}

function outcomeOf(result: SopResult, { command, variable: origin }: CommandCall): Outcome {
  if (result === undefined) return { status: 'undefined', reason: 'the command returned no result', origin };
  if (!isVerdict(result)) return { status: 'success', value: freezeValue(checked(result, command)) };
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

const frozen = new WeakSet();

/**
 * Copies and freezes a result. A value of another variable is already frozen and can be large, so it is not
 * copied.
 */
function freezeValue(result: unknown): Json {
  if (typeof result === 'object' && result !== null && frozen.has(result)) return result as Json;
  const value = freeze(toPlain(result));
  if (typeof value === 'object' && value !== null) frozen.add(value);
  return value;
}

/** Throws if a result is not a JSON value, because a host's commands can return anything. */
function checked(result: unknown, command: string): unknown {
  const isValue = typeof result === 'number' ? Number.isFinite(result) : kinds.has(typeof result);
  if (isValue) return result;
  const what = typeof result === 'number' ? String(result) : `a ${typeof result}`;
  throw new AgentError('skill.failed', `"${command}" returned ${what}, which is not a JSON value.`, {
    hint: 'Return text, a number, a boolean, null, a list or an object.',
  });
}

const kinds: ReadonlySet<string> = new Set(['string', 'boolean', 'object']);

/** The data that all command calls of a plan share. */
export interface CallContext {
  /** The number of the plan among the plans of its handle. */
  readonly number: number;
  /** Answers, keyed by the name of the question. An answer is removed once it is used. */
  readonly answers: Map<string, Json>;
}

/**
 * Builds a call. In its key, the item's index precedes the colon, so that no variable's name can produce the
 * same key.
 */
export function callOf(
  work: StepWork,
  { number, answers }: CallContext,
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
    line: step.position.line,
    ...optional('comment', step.comment),
    ...optional('answer', answer),
    key: index === undefined ? `p${number}:${step.name}` : `p${number}[${index}]:${step.name}`,
    ...ways,
  };
}

/** The step, or the item of an `each` step, to which a value belongs. */
export interface ValueSlot {
  readonly step: CheckedStep;
  /** The item's index, if the step runs for each item of a list. */
  readonly index?: number;
}

/** An execution of a step, with its input. */
export interface StepWork extends ValueSlot {
  readonly bound: BoundInput;
  readonly execution: StepExecution;
}

/**
 * Builds an execution once all values that the step needs are available. Throws if the arguments are invalid.
 */
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

/**
 * Returns the hash of an input. Caches the hashes of frozen values, which can be large and are often reused.
 */
function hashOfInput(input: Json): string {
  if (typeof input !== 'object' || input === null || !Object.isFrozen(input)) return hashOf(input);
  const known = hashes.get(input) ?? hashOf(input);
  hashes.set(input, known);
  return known;
}

/** Returns the key in `answers` for the question of a step or item. */
export function answerName({ step, index }: ValueSlot): string {
  return index === undefined ? step.name : `${step.name}.${index}`;
}

/** Converts an error of the host's code to data. The error is never reported as a bug in this package. */
export function failureOf(thrown: unknown): ErrorData {
  if (isAgentError(thrown)) return toErrorData(thrown);
  return { code: 'skill.failed', message: reasonOf(thrown) };
}
