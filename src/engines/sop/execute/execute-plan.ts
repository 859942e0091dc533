import { onAbort, pause } from '../../../core/index.ts';
import type { CheckedPlan, Clock, SopEnd, SopOptions, StepValue } from '../index.ts';
import { createDataflow, type StepDecision } from './dataflow.ts';
import { endOf, reasonIn, type PlanStop } from './end.ts';
import { createMeter, defaultConcurrency, outOfTime } from './limits.ts';
import { bindStep, offerStep } from './offer-step.ts';
import type { PlanRecords } from './records.ts';
import { createBoard, createTeller, variablesOf } from './values.ts';
import { callOf, performWork, type CallPlace, type Performed, type StepWork } from './work.ts';
import { createWorkerPool } from './worker-pool.ts';

/** One plan of a handle, about to run. */
export interface Round extends CallPlace {
  readonly plan: CheckedPlan;
  readonly records: PlanRecords;
  /** Filled while the plan runs; `input` is in it from the start when the plan takes it. */
  readonly values: Map<string, StepValue>;
  readonly signal: AbortSignal;
}

const graceMs = 1_000;

/**
 * Runs a plan: each step starts when what it needs is there. What starts next depends on the plan and on the order in
 * which results arrive, and on nothing else. Rejects only for what `onEvent` throws.
 */
export function executePlan(round: Round, options: SopOptions): Promise<SopEnd> {
  const { plan, records, values, signal } = round;
  const { concurrency = defaultConcurrency, clock = realClock, limits = {}, monitor } = options;
  const result = Promise.withResolvers<SopEnd>();
  const over = new AbortController();
  const teller = createTeller(options, clock);
  const dataflow = createDataflow(plan, values);
  const board = createBoard(plan, values, teller);
  const meter = createMeter(limits);
  let stopped: PlanStop | undefined;
  let listener: Disposable | undefined;

  const begin = (): void => {
    teller.planStarted(plan.script);
    listener = onAbort(signal, cancel);
    if (signal.aborted) cancel();
    const { timeMs = Infinity } = limits;
    if (timeMs < Infinity)
      soon(clock.wait(timeMs, over.signal), () => callOff({ status: 'failed', error: outOfTime(timeMs) }));
    goOn(dataflow.begin());
  };

  /** Follows what is decided to where commands have to run, lets those run, and sees whether that was all. */
  const goOn = (decisions: readonly StepDecision[]): void => {
    let next = decisions;
    while (next.length > 0 && stopped === undefined) next = decide(next);
    pool.begin();
    if (pool.isIdle()) finish();
  };

  /** What follows from what was decided together. */
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
          : board.take({ step: offer.step }, { value: offer.value });
      if (isSettled) for (const one of dataflow.follow(offer.step.name)) next.push(one);
    }
    return next;
  };

  const pool = createWorkerPool<Performed>({
    slots: concurrency,
    perform: (work, ways) =>
      performWork(work, callOf(work, round, ways), { meter, monitor, onStart: board.begin, onValue }),
    onEnd: (work, performed) => {
      if (!over.signal.aborted) onEnd(work, performed);
    },
    onBug: (thrown) => breakOff(thrown),
  });
  const takers = { board, records, add: pool.add };

  const onValue = ({ step, execution }: StepWork, value: StepValue): void => {
    const isKept = value.status === 'success' || (value.status === 'fail' && stopped === undefined);
    if (isKept && step.runs.isAnswer !== true && !over.signal.aborted) records.add({ ...execution, value });
  };

  const onEnd = (work: StepWork, { value, stop }: Performed): void => {
    const isTooLate = stopped !== undefined && value?.status !== 'success';
    if (stop !== undefined) callOff(stop);
    const isSettled = value !== undefined && !isTooLate && board.take(work, { value });
    goOn(isSettled ? dataflow.follow(work.step.name) : []);
  };

  const cancel = (): void => callOff({ status: 'canceled', reason: reasonIn(signal) });

  /** What runs is aborted, and has a moment left in which it may still succeed. */
  const callOff = (stop: PlanStop): void => {
    if (stopped !== undefined || over.signal.aborted) return;
    stopped = stop;
    pool.dismiss();
    soon(pool.isIdle() ? Promise.resolve() : clock.wait(graceMs, over.signal), finish);
  };

  const finish = (): void => {
    if (over.signal.aborted) return;
    leave();
    if (stopped !== undefined) board.cancelRest(stopped);
    const ending = endOf(plan, values, stopped);
    teller.planEnded(ending.status);
    result.resolve({
      ...ending,
      ...(ending.status === 'waiting' ? { questions: Object.fromEntries(board.questions) } : {}),
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

/** The time of the machine; a wait keeps the process alive until it is over or called off. */
export const realClock: Clock = {
  now: () => Date.now(),
  wait: pause,
};
