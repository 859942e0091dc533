import { onAbort, pause } from '../../../core/index.ts';
import type { CheckedPlan, Clock, SopEnd, SopOptions, StepValue } from '../index.ts';
import { createDataflow, type StepDecision } from './dataflow.ts';
import { endOf, reasonIn, type PlanStop } from './end.ts';
import { createMeter, defaultConcurrency, outOfTime } from './limits.ts';
import { bindStep, offerStep } from './offer-step.ts';
import type { PlanRecords } from './records.ts';
import { createPlanValues, createPlanReporter, variablesOf } from './values.ts';
import { callOf, performWork, type CallContext, type Performed, type StepWork } from './work.ts';
import { createWorkerPool } from './worker-pool.ts';

/** A plan that is being executed, with its data. */
export interface Round extends CallContext {
  readonly plan: CheckedPlan;
  readonly records: PlanRecords;
  /** The values of the variables so far. If the plan uses `input`, its value is set from the start. */
  readonly values: Map<string, StepValue>;
  readonly signal: AbortSignal;
}

const graceMs = 1_000;

/**
 * Runs a plan. A step starts as soon as the values that it needs are available. The order of the steps
 * depends only on the plan and on the order of the results. Rejects only if `onEvent` throws.
 */
export function executePlan(round: Round, options: SopOptions): Promise<SopEnd> {
  const { plan, records, values, signal } = round;
  const { concurrency = defaultConcurrency, clock = realClock, limits = {}, monitor } = options;
  const result = Promise.withResolvers<SopEnd>();
  const over = new AbortController();
  const reporter = createPlanReporter(options, clock);
  const dataflow = createDataflow(plan, values);
  const planValues = createPlanValues(plan, values, reporter);
  const meter = createMeter(limits);
  let stopped: PlanStop | undefined;
  let listener: Disposable | undefined;

  const begin = (): void => {
    reporter.planStarted(plan.script);
    listener = onAbort(signal, cancel);
    if (signal.aborted) cancel();
    const { timeMs = Infinity } = limits;
    if (timeMs < Infinity)
      soon(clock.wait(timeMs, over.signal), () => callOff({ status: 'failed', error: outOfTime(timeMs) }));
    apply(dataflow.begin());
  };

  /** Applies decisions, starts the commands that can run, and checks whether the plan has ended. */
  const apply = (decisions: readonly StepDecision[]): void => {
    let next = decisions;
    while (next.length > 0 && stopped === undefined) next = decide(next);
    pool.begin();
    if (pool.isIdle()) finish();
  };

  /** Applies decisions and returns the decisions that they make possible. */
  const decide = (decisions: readonly StepDecision[]): readonly StepDecision[] => {
    const offers = decisions.map(({ step, value }) =>
      value === undefined ? bindStep(step, takers) : { step, value },
    );
    const next: StepDecision[] = [];
    for (const offer of offers) {
      if (stopped !== undefined) break;
      const isSettled =
        'parts' in offer
          ? offerStep(offer, takers)
          : planValues.take({ step: offer.step }, { value: offer.value });
      if (isSettled) for (const one of dataflow.follow(offer.step.name)) next.push(one);
    }
    return next;
  };

  const pool = createWorkerPool<Performed>({
    slots: concurrency,
    perform: (work, ways) =>
      performWork(work, callOf(work, round, ways), { meter, monitor, onStart: planValues.begin, onValue }),
    onEnd: (work, performed) => {
      if (!over.signal.aborted) onEnd(work, performed);
    },
    onBug: (thrown) => breakOff(thrown),
  });
  const takers = { planValues, records, add: pool.add };

  const onValue = ({ step, execution }: StepWork, value: StepValue): void => {
    const isRecorded = value.status === 'success' || (value.status === 'fail' && stopped === undefined);
    if (isRecorded && step.runs.isAnswer !== true && !over.signal.aborted)
      records.add({ ...execution, value });
  };

  const onEnd = (work: StepWork, { value, stop }: Performed): void => {
    const isTooLate = stopped !== undefined && value?.status !== 'success';
    if (stop !== undefined) callOff(stop);
    const isSettled = value !== undefined && !isTooLate && planValues.take(work, { value });
    apply(isSettled ? dataflow.follow(work.step.name) : []);
  };

  const cancel = (): void => callOff({ status: 'canceled', reason: reasonIn(signal) });

  /** Aborts all running commands. A command that ends soon afterwards can still succeed. */
  const callOff = (stop: PlanStop): void => {
    if (stopped !== undefined || over.signal.aborted) return;
    stopped = stop;
    pool.dismiss();
    soon(pool.isIdle() ? Promise.resolve() : clock.wait(graceMs, over.signal), finish);
  };

  const finish = (): void => {
    if (over.signal.aborted) return;
    leave();
    if (stopped !== undefined) planValues.cancelRest(stopped);
    const ending = endOf(plan, values, stopped);
    reporter.planEnded(ending.status);
    result.resolve({
      ...ending,
      ...(ending.status === 'waiting' ? { questions: Object.fromEntries(planValues.questions) } : {}),
      variables: variablesOf(plan, values),
      state: records.state(),
      counts: meter.counts(),
    });
  };

  const breakOff = (thrown: unknown): void => {
    leave();
    pool.dismiss();
    result.reject(thrown);
  };

  const leave = (): void => {
    listener?.[Symbol.dispose]();
    over.abort();
  };

  const soon = (moment: Promise<void>, act: () => void): void => {
    moment.then(act).catch(breakOff);
  };

  soon(Promise.resolve(), begin);
  return result.promise;
}

/** The system clock. The process stays alive while a wait is pending. */
export const realClock: Clock = {
  now: () => Date.now(),
  wait: pause,
};
