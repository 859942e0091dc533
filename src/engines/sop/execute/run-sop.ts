import { AgentError, detach, freeze, type Json } from '../../../core/index.ts';
import { badScript, checkSop } from '../check/check-sop.ts';
import type { CheckedPlan, SopCommands, SopEnd, SopOptions, SopState, StepValue } from '../index.ts';
import { executePlan, type Round } from './execute-plan.ts';
import { assertUsable } from './limits.ts';
import { createRecords } from './records.ts';
import { variablesOf } from './values.ts';

/**
 * Checks a script and runs it until it ends. If the script cannot run, rejects with `usage.bad-input` and
 * lists every issue in the details. If the script fails while it runs, resolves to a result with the failure.
 */
export async function runSop(
  script: string,
  commands: SopCommands,
  options: SopOptions = {},
): Promise<SopEnd> {
  return createSop(commands, options).run(script);
}

/**
 * Runs plans one after another and keeps their successful results. A plan is a script in SOP, the language
 * for standard operating procedures.
 */
export interface Sop {
  /**
   * Runs a script until it ends. Rejects with `usage.bad-input` if another plan is running or if the script
   * cannot run. The details contain every issue. Limits apply to each plan separately. Steps that failed
   * before are retried.
   */
  run(script: string): Promise<SopEnd>;
  /**
   * Runs a script after the current plan has ended. Checks the script immediately, and rejects if the script
   * cannot run. Failed steps are retried only if the script has changed.
   */
  updateCode(script: string): Promise<SopEnd>;
  /** Cancels the current plan and all plans in the queue. Does not affect plans that are added later. */
  cancel(reason?: string): void;
  /** The variables of the current or last plan that have a value. */
  readonly variables: Readonly<Record<string, StepValue>>;
  /** The current state, from which another process can resume. */
  readonly state: SopState;
}

/**
 * Creates a handle that runs one plan after another with the same commands. Throws `usage.bad-input` for
 * invalid options.
 */
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
    last = turn.catch(() => undefined); // The caller receives the error. The next plan runs anyway.
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
  return new AgentError('usage.bad-input', 'This handle is already running a plan.', {
    hint: 'Wait until the plan ends, or use "updateCode", which waits for it.',
  });
}
