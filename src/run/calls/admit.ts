import { AgentError, detach, renamedInput, type Json, type RunLimits } from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { nothingSpent, type KnownFrame, type Spent } from '../log/run-state.ts';
import { checkAllowList, checkHidden, checkShell } from '../permissions/allow-lists.ts';
import { isAttested } from '../permissions/attest.ts';
import { permitCall } from '../permissions/permit.ts';
import { overLimit, type Budget } from './budget.ts';
import type { Call } from './call.ts';
import { throwIfCancelled, type FrameCall } from './frame-events.ts';
import type { CallTarget, Frame } from './frame.ts';
import { accept, openTarget, workOf, type SkillExecution } from './resolve.ts';

/** A call that passed all checks. */
export interface Admitted extends FrameCall {
  readonly call: Call;
  /** The input after validation. */
  readonly input: Json;
  readonly work: SkillExecution;
}

/**
 * Checks all requirements that a call must meet before it begins, and counts the call. Throws the error of
 * the first requirement that is not met.
 */
export async function admit(execution: Execution, caller: Frame, asked: Call): Promise<Admitted> {
  if (asked.fault !== undefined) throw asked.fault as Error;
  const assistant = caller === execution.top ? execution.derived.assistant : undefined;
  const target =
    assistant ??
    caller.provided.get(asked.name) ??
    openTarget(execution, execution.registry.lookup.resolve(asked.name));
  const call = renamed(asked, target);
  if (call.known !== undefined && !(await isAttested(execution.kernel, digestIn(call.known), target.digest)))
    throw changed(target.skill.name);
  checkAllowList(execution, caller, target.skill);
  checkHidden(caller.skill, target.skill, call.options);
  const { mode, limits } = call.options;
  const work = workOf(target, call.options);
  const isAsIs = mode === 'hook' || mode === 'build';
  const used = usedInput(target, call);
  const input = isAsIs ? detach(used) : accept(target, detach(used));
  const spent = (): Spent => (call.known === undefined ? nothingSpent : execution.state.spentBelow(call.id));
  const budget = caller.budget.tighten(target.skill.card.limits, spent).tighten(limits, spent);
  if (call.known === undefined) boundCall(caller, target, call.inputHash, budget);
  checkShell(execution, target, call.options);
  const permitted = await permitCall(execution, caller, target, { ...call, input: used });
  if (call.known === undefined) {
    throwIfCancelled(call);
    budget.takeCall(target.isLeaf);
  }
  return { call, target, input, budget, work, permitted };
}

/**
 * Returns the call with its input's properties renamed to the names in the skill's schema. A person who
 * approves the call sees these names.
 */
function renamed(call: Call, { skill }: CallTarget): Call {
  const { input, given } = call;
  return { ...call, input: renamedInput(skill, input), given: renamedInput(skill, given) };
}

/**
 * Returns the input that a skill receives. Normally, this is the stored input, in which secrets are redacted.
 * A read-only tool that is defined in code and sends no data out receives the original input, so that it can
 * search for a secret.
 */
function usedInput({ skill, family, definition }: CallTarget, { input, given }: Call): Json {
  const { readOnly, pin } = family.permission?.describe?.(definition) ?? {};
  return skill.codeDefinition !== undefined && readOnly === true && pin === undefined ? given : input;
}

/** Returns the digest of the files that a recorded call used. */
function digestIn({ started, digest }: KnownFrame): string | undefined {
  return digest ?? started.digest;
}

function changed(name: string): AgentError {
  return new AgentError('skill.changed', `The files of "${name}" changed while it was interrupted.`, {
    hint: 'Run it again; "rerun --from" with its frame reuses everything that finished before it.',
  });
}

/** Throws if a call would exceed a limit. */
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

/**
 * Throws if a skill on the call path limits how deeply skills of its family are nested and the call would
 * exceed that limit.
 */
function checkNesting(caller: Frame, { skill }: CallTarget): void {
  for (const [index, { skill: above }] of caller.path.entries()) {
    const most = above?.card.nesting;
    if (above === undefined || most === undefined || above.family !== skill.family) continue;
    const below = caller.path.slice(index + 1).filter((frame) => frame.skill?.family === skill.family).length;
    if (below + 1 <= most) continue;
    throw new AgentError('limit.depth', `"${above.name}" allows at most ${most} nested skills of its kind.`, {
      hint: `"${skill.name}" would exceed that limit; do its work without it.`,
    });
  }
}

function tooDeep(caller: Frame, { skill }: CallTarget, { depth }: RunLimits): AgentError {
  const { hint } = overLimit('limit.depth', '', 'depth');
  return new AgentError(
    'limit.depth',
    `"${skill.name}" would be at depth ${caller.depth + 1}; the limit is ${depth}.`,
    hint === undefined ? {} : { hint },
  );
}

function inCircle(caller: Frame, { skill }: CallTarget): AgentError {
  const path = [...caller.path.map((frame) => frame.skill?.name ?? ''), skill.name].join(' › ');
  return new AgentError('limit.cycle', `"${skill.name}" is already running with the same input: ${path}.`, {
    hint: 'Call it with a different input, or return instead of calling it again.',
  });
}
