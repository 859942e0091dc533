import { AgentError, detach, freeze, type Json } from '../../../core/index.ts';
import { badScript, checkSop } from '../check/check-sop.ts';
import type { CheckedPlan, SopCommands, SopEnd, SopOptions, SopState, StepValue } from '../index.ts';
import { executePlan, type Round } from './execute-plan.ts';
import { assertUsable } from './limits.ts';
import { createRecords } from './records.ts';
import { variablesOf } from './values.ts';

/**
 * Checks a script and runs it to its end, whatever that is; rejects with `usage.bad-input` only when it cannot run at
 * all, with every issue in the details.
 */
export async function runSop(
  script: string,
  commands: SopCommands,
  options: SopOptions = {},
): Promise<SopEnd> {
  return createSop(commands, options).run(script);
}

/** Runs one plan after another, and keeps what succeeded from each to the next. */
export interface Sop {
  /**
   * Runs a script to its end; rejects with `usage.bad-input` for one that cannot run, with every issue in the details,
   * and while another one runs. Limits are counted anew for each, and what failed in an earlier one is tried again.
   */
  run(script: string): Promise<SopEnd>;
  /**
   * Waits until what runs has ended and then runs the script; it is checked at once, and nothing changes if it cannot
   * run. What failed is tried again only if the script is another one.
   */
  updateCode(script: string): Promise<SopEnd>;
  /** Calls off what runs and what waits to run; plans that are given later run. */
  cancel(reason?: string): void;
  /** What is known of the plan that runs, or ran last. */
  readonly variables: Readonly<Record<string, StepValue>>;
  /** What a later process could go on from, at this moment. */
  readonly state: SopState;
}

/** A handle on plans over the same commands; throws `usage.bad-input` for options that no plan could run with. */
export function createSop(commands: SopCommands, options: SopOptions = {}): Sop {
  assertUsable(options);
  const input = freeze(detach(options.input));
  const resumed = freeze(detach(options.resumeFrom)) ?? { records: [] };
  const answers = new Map(Object.entries(options.answers ?? {}));
  let current: Round | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let plans = 0;
  let stop = new AbortController();

  const state = (): SopState => current?.records.state() ?? resumed;

  const check = (script: string): CheckedPlan => {
    const { plan, issues } = checkSop(script, commands, { hasInput: input !== undefined });
    if (plan === undefined) throw badScript(issues);
    return plan;
  };

  const execute = (plan: CheckedPlan, isAsked: boolean, signal: AbortSignal): Promise<SopEnd> => {
    const retriesFailed = options.retriesFailed === true || (isAsked && current !== undefined);
    current = {
      plan,
      number: (plans += 1),
      records: createRecords(plan, state(), retriesFailed),
      values: valuesFor(plan, input),
      answers,
      signal,
    };
    return executePlan(current, options);
  };

  const queue = async (script: string, isAsked: boolean): Promise<SopEnd> => {
    const plan = check(script);
    const signal = AbortSignal.any([stop.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    waiting += 1;
    const turn = last.then(() => execute(plan, isAsked, signal)).finally(() => (waiting -= 1));
    last = turn.catch(() => undefined); // whoever asked for it is told; the next one runs all the same
    return turn;
  };

  return {
    async run(script) {
      if (waiting > 0) throw isBusy();
      return queue(script, true);
    },
    updateCode: (script) => queue(script, false),
    cancel(reason) {
      stop.abort(reason);
      stop = new AbortController();
    },
    get variables() {
      return current === undefined ? {} : variablesOf(current.plan, current.values);
    },
    get state() {
      return state();
    },
  };
}

function valuesFor({ takesInput }: CheckedPlan, input: Json | undefined): Map<string, StepValue> {
  const isGiven = takesInput && input !== undefined;
  return new Map(isGiven ? [['input', { status: 'success', value: input }]] : []);
}

function isBusy(): AgentError {
  return new AgentError('usage.bad-input', 'A plan of this handle is running.', {
    hint: 'Wait for its end, or give the next one to "updateCode", which does.',
  });
}
