import { optional, type ErrorData, type Json } from '../../../core/index.ts';
import type { CheckedPlan, CheckedStep, SopEnd, StepValue } from '../index.ts';
import { isAsking } from './dataflow.ts';

/** How a plan ended, and with what. */
type Ending = Pick<SopEnd, 'status' | 'answer' | 'error'>;

type Values = ReadonlyMap<string, StepValue>;

/** The ending of a plan whose steps all have a value; `stop` when it did not come to its end by itself. Pure. */
export function endOf({ steps }: CheckedPlan, values: Values, stop: PlanStop | undefined): Ending {
  const answerSteps = answerStepsOf(steps);
  const answer = optional('answer', answerOf(steps, answerSteps, values));
  if (stop !== undefined) return { status: stop.status, ...answer, error: errorOf(stop) };
  if (steps.some(({ name }) => isAsking(values.get(name)))) return { status: 'waiting', ...answer };
  const error = answer.answer === undefined ? whyNoAnswer(steps, answerSteps, values) : undefined;
  return error === undefined ? { status: 'done', ...answer } : { status: 'failed', error };
}

const answerNames = ['lastAnswer', 'result', 'final', 'answer', 'domain'];

/** The steps that may give the answer, the preferred one first: those marked for it, or else those named for it. */
function answerStepsOf(steps: readonly CheckedStep[]): readonly CheckedStep[] {
  const marked = steps.filter(({ runs }) => runs.isAnswer === true);
  if (marked.length > 0) return marked.toReversed();
  const byName = new Map(steps.map((step) => [step.name, step]));
  return answerNames.flatMap((name) => byName.get(name) ?? []);
}

/** Without a step for it, the only step of a plan gives the answer. */
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

/** Undefined when there is nothing wrong: whatever could have answered was left out, or nothing was to answer and nothing failed. */
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

/** The failure where it began. */
function errorBehind(variable: string, values: Values): ErrorData | undefined {
  const value = values.get(variable);
  if (value === undefined || value.status === 'success') return undefined;
  const { origin } = value;
  const first = values.get(origin) ?? value;
  if (first.status === 'fail') return first.error;
  const reason = first.status === 'success' ? '' : `: ${first.reason}`;
  return {
    code: 'skill.no-result',
    message: `@${origin} came to nothing${reason}.`,
    hint: 'Have its command return a value, or leave out what needs it.',
  };
}

/** Why a plan ends before its steps do. */
export type PlanStop =
  | { readonly status: 'canceled'; readonly reason: string }
  /** `origin` is the step that gave up. */
  | { readonly status: 'cannot-complete'; readonly reason: string; readonly origin: string }
  | { readonly status: 'failed'; readonly error: ErrorData };

/** What became of a step that did not come to its end. */
export function stoppedValue(variable: string, stop: PlanStop): StepValue {
  const origin = stop.status === 'cannot-complete' ? stop.origin : variable;
  return { status: 'canceled', reason: stop.status === 'failed' ? stop.error.message : stop.reason, origin };
}

/** The error of a plan that was stopped. */
function errorOf(stop: PlanStop): ErrorData {
  if (stop.status === 'failed') return stop.error;
  return { code: stop.status === 'canceled' ? 'usage.cancelled' : 'skill.no-result', message: stop.reason };
}

/** What was said by whoever called the plan off. */
export function reasonIn({ reason }: AbortSignal): string {
  return typeof reason === 'string' && reason !== '' ? reason : 'The plan was called off.';
}
