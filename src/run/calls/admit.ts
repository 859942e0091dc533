import { AgentError, detach, type Json, type RunLimits } from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { nothingSpent, type KnownFrame, type Spent } from '../log/run-state.ts';
import { checkAllowList, checkHidden, checkShell } from '../permissions/allow-lists.ts';
import { isVouched } from '../permissions/attest.ts';
import { permitCall } from '../permissions/permit.ts';
import { overLimit, type Budget } from './budget.ts';
import type { Call } from './call.ts';
import { mustBeWanted, type FrameCall } from './frame-events.ts';
import type { CallTarget, Frame } from './frame.ts';
import { accept, openTarget, workOf, type SkillExecution } from './resolve.ts';

/** A call that may happen. */
export interface Admitted extends FrameCall {
  readonly call: Call;
  /** As the skill takes it. */
  readonly input: Json;
  readonly work: SkillExecution;
}

/** Everything that must hold before a call begins; throws what does not. */
export async function admit(execution: Execution, caller: Frame, call: Call): Promise<Admitted> {
  if (call.fault !== undefined) throw call.fault as Error;
  const made = caller === execution.top ? execution.made.adHoc : undefined;
  const target =
    made ??
    caller.provided.get(call.name) ??
    openTarget(execution, execution.registry.lookup.resolve(call.name));
  if (call.known !== undefined && !(await isVouched(execution.kernel, digestIn(call.known), target.digest)))
    throw changed(target.skill.name);
  checkAllowList(execution, caller, target.skill);
  checkHidden(caller.skill, target.skill, call.options);
  const { through, limits } = call.options;
  const work = workOf(target, call.options);
  const isAsIs = through === 'hook' || through === 'build';
  const used = usedInput(target, call);
  const input = isAsIs ? detach(used) : accept(target, detach(used));
  const spent = (): Spent => (call.known === undefined ? nothingSpent : execution.state.spentBelow(call.id));
  const budget = caller.budget.tighten(target.skill.card.limits, spent).tighten(limits, spent);
  if (call.known === undefined) boundCall(caller, target, call.inputHash, budget);
  checkShell(execution, target, call.options);
  const permitted = await permitCall(execution, caller, target, { ...call, input: used });
  if (call.known === undefined) {
    mustBeWanted(call);
    budget.takeCall(target.isLeaf);
  }
  return { call, target, input, budget, work, permitted };
}

/**
 * What a skill works with: the input as it is kept, without secrets. A tool defined in code that changes nothing and sends
 * nothing anywhere gets it as it was meant, so that a search for a secret searches for it; its output is cleaned as any.
 */
function usedInput({ skill, family, definition }: CallTarget, { input, given }: Call): Json {
  const { readOnly, pin } = family.permission?.describe?.(definition) ?? {};
  return skill.made !== undefined && readOnly === true && pin === undefined ? given : input;
}

/** Of the files that a call went on with. */
function digestIn({ started, digest }: KnownFrame): string | undefined {
  return digest ?? started.digest;
}

function changed(name: string): AgentError {
  return new AgentError('skill.changed', `The files of "${name}" changed while it was interrupted.`, {
    hint: 'Run it anew: what finished before it can be reused with "rerun --from" its frame.',
  });
}

/** Throws the bound that a call would pass. */
function boundCall(caller: Frame, target: CallTarget, inputHash: string, budget: Budget): void {
  const { limits } = budget;
  if (caller.depth >= limits.depth) throw tooDeep(caller, target, limits);
  const repeated = caller.path.find(
    (frame) => frame.skill?.name === target.skill.name && frame.inputHash === inputHash,
  );
  if (repeated !== undefined) throw inCircle(caller, target);
  checkNesting(caller, target);
  budget.checkCall(target.isLeaf);
}

/** A skill may say how many of its own family may be nested below it. */
function checkNesting(caller: Frame, { skill }: CallTarget): void {
  for (const [index, { skill: above }] of caller.path.entries()) {
    const most = above?.card.nesting;
    if (above === undefined || most === undefined || above.family !== skill.family) continue;
    const below = caller.path.slice(index + 1).filter((frame) => frame.skill?.family === skill.family).length;
    if (below + 1 <= most) continue;
    throw new AgentError('limit.depth', `"${above.name}" lets ${most} of its kind be nested below it.`, {
      hint: `"${skill.name}" would be one more; do its work without it.`,
    });
  }
}

function tooDeep(caller: Frame, { skill }: CallTarget, { depth }: RunLimits): AgentError {
  const { hint } = overLimit('limit.depth', '', 'depth');
  return new AgentError(
    'limit.depth',
    `"${skill.name}" would be at depth ${caller.depth + 1}; calls may nest ${depth} deep.`,
    hint === undefined ? {} : { hint },
  );
}

function inCircle(caller: Frame, { skill }: CallTarget): AgentError {
  const path = [...caller.path.map((frame) => frame.skill?.name ?? ''), skill.name].join(' › ');
  return new AgentError('limit.cycle', `"${skill.name}" is already at work on the same input: ${path}.`, {
    hint: 'Call it with another input, or return instead of calling it again.',
  });
}
