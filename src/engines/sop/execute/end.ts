import { optional, type ErrorData, type Json } from '../../../core/index.ts';
import type { CheckedPlan, CheckedStep, SopEnd, StepValue } from '../index.ts';
import { isAsking } from './dataflow.ts';

/** The status of a finished plan, with its answer or error. */
type Ending = Pick<SopEnd, 'status' | 'answer' | 'error'>;

type Values = ReadonlyMap<string, StepValue>;

/**
 * Returns the result of a plan once all its steps have values. `stop` is set if the plan ended early. Pure.
 */
export function endOf({ steps }: CheckedPlan, values: Values, stop: PlanStop | undefined): Ending {
  const answerSteps = answerStepsOf(steps);
  const answer = optional('answer', answerOf(steps, answerSteps, values));
  if (stop !== undefined) return { status: stop.status, ...answer, error: errorOf(stop) };
  if (steps.some(({ name }) => isAsking(values.get(name)))) return { status: 'waiting', ...answer };
  const error = answer.answer === undefined ? whyNoAnswer(steps, answerSteps, values) : undefined;
  return error === undefined ? { status: 'done', ...answer } : { status: 'failed', error };
}

const answerNames = ['lastAnswer', 'result', 'final', 'answer', 'domain'];

/**
 * Returns the steps that can provide the answer, preferred ones first. These are the steps whose commands are
 * marked as answers, or, if there are none, the steps with one of the usual names for answers.
 */
function answerStepsOf(steps: readonly CheckedStep[]): readonly CheckedStep[] {
  const marked = steps.filter(({ runs }) => runs.isAnswer === true);
  if (marked.length > 0) return marked.toReversed();
  const byName = new Map(steps.map((step) => [step.name, step]));
  return answerNames.flatMap((name) => byName.get(name) ?? []);
}

/** Returns the answer of a plan. If the plan has only one step, that step can provide the answer. */
function answerOf(
  steps: readonly CheckedStep[],
  answerSteps: readonly CheckedStep[],
  values: Values,
): Json | undefined {
  const candidates = answerSteps.length === 0 && steps.length === 1 ? steps : answerSteps;
  for (const { name } of candidates) {
    const value = values.get(name);
    if (value?.status === 'success') return value.value;
  }
  return undefined;
}

/**
 * Returns the error that explains why there is no answer. Returns undefined if every answer step was skipped,
 * or if there are no answer steps and nothing failed.
 */
function whyNoAnswer(
  steps: readonly CheckedStep[],
  answerSteps: readonly CheckedStep[],
  values: Values,
): ErrorData | undefined {
  const isFault = ({ name }: CheckedStep): boolean => {
    const status = values.get(name)?.status;
    return status === 'fail' || (status === 'undefined' && answerSteps.length > 0);
  };
  const fault = (answerSteps.length > 0 ? answerSteps : steps).find(isFault);
  return fault === undefined ? undefined : errorBehind(fault.name, values);
}

/** Returns the error of the failed step that caused a variable's status. */
function errorBehind(variable: string, values: Values): ErrorData | undefined {
  const value = values.get(variable);
  if (value === undefined || value.status === 'success') return undefined;
  const { origin } = value;
  const first = values.get(origin) ?? value;
  if (first.status === 'fail') return first.error;
  const reason = first.status === 'success' ? '' : `: ${first.reason}`;
  return {
    code: 'skill.no-result',
    message: `@${origin} has no result${reason}.`,
    hint: 'Change the command so that it returns a value, or remove the steps that need the value.',
  };
}

/** The reason why a plan ends early. */
export type PlanStop =
  | { readonly status: 'canceled'; readonly reason: string }
  /** `origin` is the step that gave up. */
  | { readonly status: 'cannot-complete'; readonly reason: string; readonly origin: string }
  | { readonly status: 'failed'; readonly error: ErrorData };

/** Returns the value of a step that was canceled because the plan ended. */
export function stoppedValue(variable: string, stop: PlanStop): StepValue {
  const origin = stop.status === 'cannot-complete' ? stop.origin : variable;
  return { status: 'canceled', reason: stop.status === 'failed' ? stop.error.message : stop.reason, origin };
}

/** Returns the error for a plan that ended early. */
function errorOf(stop: PlanStop): ErrorData {
  if (stop.status === 'failed') return stop.error;
  return { code: stop.status === 'canceled' ? 'usage.cancelled' : 'skill.no-result', message: stop.reason };
}

/** Returns the reason that the caller gave for aborting the plan. */
export function reasonIn({ reason }: AbortSignal): string {
  return typeof reason === 'string' && reason !== '' ? reason : 'The plan was cancelled.';
}
