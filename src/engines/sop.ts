import { toErrorData, type ErrorData } from '../core/error.ts';
import { optional } from '../core/collections.ts';
import type { Scope } from '../core/scope.ts';
import type { Skill } from '../core/skill.ts';
import { badScript } from './sop/check/bad-script.ts';
import { checkSop } from './sop/check/check-sop.ts';
import type { CheckedPlan } from './sop/checked-plan.ts';
import type { CommandIndex } from './sop/command.ts';
import { createSop } from './sop/execute/create-sop.ts';
import { notePlans } from './sop/session/note-plans.ts';
import { conversationFor, systemFor } from './sop/session/planner-request.ts';
import { createPlanner, type Planner } from './sop/session/planner.ts';
import { anySkillCommand, skillCommands } from './sop/session/skill-commands.ts';
import type { SopEnd } from './sop/sop-end.ts';
import type { Clock } from './sop/sop-options.ts';
import type { SopMemory, SopRequest, SopSessionEnd } from './sop/session/sop-session.ts';

/**
 * Has a plan made, or takes one that is written, runs it, and has it made anew while it fails: what succeeded is kept.
 * All that it learns comes from the scope, so a session that was killed goes on where it was, and no step runs twice.
 */
export async function runSopSession(scope: Scope, request: SopRequest): Promise<SopSessionEnd> {
  const { script, input, previous, concurrency, limits = {} } = request;
  const { plans: most = 3, repairs: _repairs, ...ofPlans } = limits;
  const signal = request.signal ?? new AbortController().signal;
  const skills = request.skills ?? scope.callable;
  const commands = commandsFor(scope, request, skills);
  const notes = notePlans(scope);
  const sop = createSop(commands, {
    ...optional('input', input),
    ...optional('concurrency', concurrency),
    ...optional('resumeFrom', previous?.state),
    retriesFailed: previous !== undefined, // whatever of it is in a new plan was asked for again
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

/** Time passes in the kernel, which has limits of its own; whoever is called off is not waited for. */
const timeless: Clock = { now: () => 0, wait: () => Promise.resolve() };

function commandsFor(scope: Scope, request: SopRequest, skills: readonly Skill[]): CommandIndex {
  const { script, isTrusted = false } = request;
  const prefix = prefixOf(request);
  if (script === undefined) return skillCommands(scope, skills, { prefix });
  return isTrusted
    ? anySkillCommand(scope, { prefix, asWritten: true })
    : skillCommands(scope, skills, { prefix, asWritten: true });
}

/** What tells the keys of this session from those of others in its frame. */
function prefixOf({ name = '' }: SopRequest): string {
  return name === '' ? '' : `${name}.`;
}

/** A plan that is written is the only one. */
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
    system: await scope.step(`${prefix}system`, () => system), // skills may come and go while the run waits
    messages: conversationFor(request),
    commands: given.commands,
    hasInput: input !== undefined,
    tier,
    effort,
    repairs: limits?.repairs ?? 5,
    prefix,
    signal: given.signal,
  });
}

/** A plan that went too far would do so again; a step that did is a failure like any other. */
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
