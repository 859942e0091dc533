import {
  optional,
  toErrorData,
  type ErrorData,
  type Json,
  type Scope,
  type Skill,
} from '../../../core/index.ts';
import { badScript, checkSop } from '../check/check-sop.ts';
import {
  isBasicCommand,
  type CheckedPlan,
  type CheckedStep,
  type Clock,
  type CommandIndex,
  type SopEnd,
  type SopEvent,
  type StepValue,
} from '../index.ts';
import { createSop } from '../execute/run-sop.ts';
import { conversationFor, systemFor, withSearch } from './planner-request.ts';
import { createPlanner, type Planner } from './planner.ts';
import type { SopMemory, SopRequest, SopSessionEnd } from './session.ts';
import { anySkillCommand, skillCommands } from './skill-commands.ts';

/**
 * Runs a plan from a model or the caller. After a failure, asks for another plan and keeps successful
 * results. All data comes from the scope. A session that was killed therefore resumes at the same point and
 * repeats no steps.
 */
export async function runSopSession(scope: Scope, request: SopRequest): Promise<SopSessionEnd> {
  const { script, input, previous, concurrency, limits = {} } = request;
  const { plans: most = 3, repairs: _repairs, ...ofPlans } = limits;
  const signal = request.signal ?? new AbortController().signal;
  const skills = withSearch(request.skills ?? scope.skills.callable, scope);
  const commands = commandsFor(scope, request, skills);
  const notes = notePlans(scope);
  const sop = createSop(commands, {
    ...optional('input', input),
    ...optional('concurrency', concurrency),
    ...optional('resumeFrom', previous?.state),
    retriesFailed: previous !== undefined, // With a new prompt, failed steps are tried again.
    limits: ofPlans,
    signal,
    clock: timeless,
    onEvent: notes.onEvent,
  });
  let plans = 0;
  let plan: CheckedPlan | undefined;
  let last: SopEnd | undefined;
  const end = (status: SopSessionEnd['status'], error?: ErrorData): SopSessionEnd => ({
    status,
    plan: plan?.script ?? '',
    ...optional('answer', last?.answer),
    variables: last?.variables ?? {},
    ...optional('error', error),
    plans,
    memory: memoryOf(request, plan, last),
  });

  try {
    const planner =
      script === undefined
        ? await plannerFor(scope, request, { skills, commands, signal })
        : writtenPlan(script, commands, input !== undefined);
    for (;;) {
      plan = await planner.next(last);
      plans += 1;
      if (request.planOnly === true) return end('planned');
      notes.adopt(plan, plans);
      last = await sop.run(plan.script);
      const isLast = script !== undefined || !(plans < most);
      if (isLast || !mayPlanAgain(last)) return end(last.status, last.error);
    }
  } catch (thrown) {
    return end(signal.aborted ? 'canceled' : 'failed', toErrorData(thrown));
  }
}

/**
 * A clock that always returns 0 and never waits. The kernel measures time and applies its own limits, and it
 * does not wait for cancelled sessions.
 */
const timeless: Clock = { now: () => 0, wait: () => Promise.resolve() };

function commandsFor(scope: Scope, request: SopRequest, skills: readonly Skill[]): CommandIndex {
  const { script, isTrusted = false } = request;
  const prefix = prefixOf(request);
  if (script === undefined) return skillCommands(scope, skills, { prefix });
  return isTrusted
    ? anySkillCommand(scope, { prefix, asWritten: true })
    : skillCommands(scope, skills, { prefix, asWritten: true });
}

/** Returns the prefix of the session's keys, which distinguishes the sessions in a frame. */
function prefixOf({ name = '' }: SopRequest): string {
  return name === '' ? '' : `${name}.`;
}

/** Creates a planner whose only plan is `script`. */
function writtenPlan(script: string, commands: CommandIndex, hasInput: boolean): Planner {
  return {
    next: async () => {
      const { plan, issues } = checkSop(script, commands, { hasInput });
      if (plan === undefined) throw badScript(issues);
      return plan;
    },
  };
}

interface PlannedWith {
  readonly skills: readonly Skill[];
  readonly commands: CommandIndex;
  readonly signal: AbortSignal;
}

async function plannerFor(scope: Scope, request: SopRequest, given: PlannedWith): Promise<Planner> {
  const { tier = 'plan', effort, input, limits } = request;
  const prefix = prefixOf(request);
  const system = await systemFor(scope, request, given.skills);
  return createPlanner(scope, {
    system: await scope.step(`${prefix}system`, () => system), // Skills can change while the run waits.
    messages: await conversationFor(scope, request, `${prefix}input`),
    commands: given.commands,
    hasInput: input !== undefined,
    tier,
    effort,
    repairs: limits?.repairs ?? 5,
    prefix,
    signal: given.signal,
  });
}

/**
 * Whether another plan can help. A new plan cannot help if the plan exceeded a limit. A step that exceeded a
 * limit is treated as an ordinary failure.
 */
function mayPlanAgain({ status, error, variables }: SopEnd): boolean {
  if (status !== 'failed' || error?.code.startsWith('limit.') !== true) return status === 'failed';
  return Object.values(variables).some((value) => value.status === 'fail' && value.error === error);
}

function memoryOf(
  { prompt = '', previous }: SopRequest,
  plan: CheckedPlan | undefined,
  last: SopEnd | undefined,
): SopMemory {
  const before = previous?.turns ?? [];
  return {
    turns: plan === undefined ? before : [...before, { prompt, plan: plan.script }],
    state: last?.state ?? previous?.state ?? { records: [] },
  };
}

/** Notes that show users the plans of a run and the results of steps. */
interface PlanNotes {
  /** Adds a note about a plan. Call this before the plan runs. `number` starts at 1. */
  adopt(plan: CheckedPlan, number: number): void;
  onEvent(event: SopEvent): void;
}

/**
 * Creates the notes of a run. Calls to skills have their own frames. The notes therefore contain only plans,
 * comments of steps, and steps that were reused, skipped or blocked or that called no skill.
 */
function notePlans(scope: Scope): PlanNotes {
  let plan = 0;
  const called = new Set<string>();

  const noteEnd = (event: SopEvent & { readonly type: 'step.ended' }): void => {
    const { variable, index, command, value, isReused } = event;
    if (isReused !== true && called.has(keyOf(event)) && !isBasicCommand(command)) return;
    const sop = { plan, step: variable, ...(index === undefined ? {} : { index }), status: value.status };
    scope.note(`@${variable} ${isReused === true ? 'was reused from an earlier run' : said(value)}`, { sop });
  };

  return {
    adopt({ steps }, number) {
      plan = number;
      called.clear();
      const what = `Plan ${number}: ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}.`;
      scope.note(what, { sop: { plan, steps: steps.map(shownStep) } });
    },
    onEvent(event) {
      if (event.type === 'step.ended') noteEnd(event);
      if (event.type !== 'step.started') return;
      called.add(keyOf(event));
      if (event.comment !== undefined && (event.index ?? 0) === 0)
        scope.note(event.comment, { sop: { plan, step: event.variable } });
    },
  };
}

function keyOf({ variable, index = -1 }: { readonly variable: string; readonly index?: number }): string {
  return `${index} ${variable}`;
}

function shownStep({ name, command, needs, each, when, comment }: CheckedStep): Json {
  return {
    name,
    command,
    needs: [...needs],
    ...(each === undefined ? {} : { each: each.path }),
    ...(when === undefined ? {} : { when: `${when.isNegated ? 'not ' : ''}${when.of.path}` }),
    ...(comment === undefined ? {} : { comment }),
  };
}

function said(value: StepValue): string {
  switch (value.status) {
    case 'success':
      return 'is set';
    case 'fail':
      return `failed: ${value.error.message}`;
    case 'undefined':
      return `did not run: ${value.reason}`;
    case 'canceled':
      return `was skipped: ${value.reason}`;
  }
}
