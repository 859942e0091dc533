import {
  AgentError,
  detach,
  type CallOptions,
  type Json,
  type Output,
  type RunLimits,
  type Skill,
} from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { joined } from '../log/replay.ts';
import { nothingSpent, type KnownFrame, type Spent } from '../log/run-state.ts';
import { failedOutput } from '../log/sanitize.ts';
import { checkAllowList, checkHidden, checkShell } from '../permissions/allow-lists.ts';
import { isVouched, mustBeAllowed } from '../permissions/attest.ts';
import { permitCall } from '../permissions/permit.ts';
import { createScope } from '../scope/create-scope.ts';
import { overLimit, type Budget } from './budget.ts';
import { identify, type Call } from './call.ts';
import type { Frame, CallTarget } from './frame.ts';
import { mustBeWanted, perform, type Admitted } from './perform.ts';
import { prepared } from './prepare.ts';
import { accept, openTarget, workOf, type SkillExecution } from './resolve.ts';

/**
 * The one way into a skill: resolve · bound · permit · prepare · execute · record.
 * What was recorded before is given again; every refusal is recorded, and is data for the caller.
 */
export async function invoke(
  execution: Execution,
  caller: Frame,
  name: string,
  input: unknown,
  options: CallOptions = {},
): Promise<Output> {
  const call = identify(execution, caller, name, input, options);
  const output = await joined(
    execution,
    caller,
    { key: `call:${call.key}`, request: call.request },
    async () => {
      const refused = execution.state.refused(caller.id, call.key);
      const before = refused?.request ?? call.known?.started.request ?? call.request;
      if (before !== call.request) return execution.diverge(caller, call.key);
      const ended = refused ?? call.known?.ended;
      if (ended === undefined) return detach(await begin(execution, caller, call));
      await caller.busy(() => execution.turns.inTurn(ended.seq));
      return ended.type === 'call.refused' ? failedOutput(ended.error) : detach(ended.output);
    },
  );
  if (output.status === 'done') learn(execution, caller, call);
  return output;
}

async function begin(execution: Execution, caller: Frame, call: Call): Promise<Output> {
  let admitted: Admitted & { readonly input: Json; readonly work: SkillExecution };
  if (call.known === undefined) await caller.busy(() => execution.turns.mayBegin());
  try {
    admitted = await admit(execution, caller, call);
  } catch (thrown) {
    return refuse(execution, caller, call, thrown);
  }
  const { target, input, work, permitted } = admitted;
  return perform(execution, caller, admitted, async (frame) => {
    const isBuilt = call.options.through === 'build';
    if (isBuilt || target.family.prepare !== undefined)
      await frame.busy(() =>
        mustBeAllowed(execution.kernel, target.skill, permitted?.versions.get(target.skill)),
      );
    const ready = isBuilt ? target.definition : await prepared(execution, frame, target, invoke);
    try {
      return await work(ready, input, createScope(execution, frame, target, invoke, permitted));
    } finally {
      if (isBuilt) execution.kernel.renewDigest(target.skill);
    }
  });
}

/** Everything that must hold before a call begins; throws what does not. */
async function admit(
  execution: Execution,
  caller: Frame,
  call: Call,
): Promise<Admitted & { readonly input: Json; readonly work: SkillExecution }> {
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
  const { readOnly, pin } = family.permission?.(definition) ?? {};
  return skill.made !== undefined && readOnly === true && pin === undefined ? given : input;
}

/** Of the files that a call went on with. */
function digestIn({ started, digest }: KnownFrame): string | undefined {
  return digest ?? started.digest;
}

/** Records that a call does not happen, or does not go on. */
async function refuse(execution: Execution, caller: Frame, call: Call, thrown: unknown): Promise<Output> {
  const error = execution.cleanError(thrown);
  const output = failedOutput(error);
  const { id, key, request, shownName: skill, input } = call;
  const { journal, turns } = execution;
  await caller.busy(async () => {
    const isNew = call.known === undefined;
    const refusal = { type: 'call.refused', key, request, skill, input, error } as const;
    const end = { type: 'frame.ended', output } as const;
    await turns.inTurn(await (isNew ? journal.add(caller.id, refusal) : journal.add(id, end)));
  });
  return output;
}

function changed(name: string): AgentError {
  return new AgentError('skill.changed', `The files of "${name}" changed while it was interrupted.`, {
    hint: 'Run it anew: what finished before it can be reused with "rerun --from" its frame.',
  });
}

/**
 * What a frame knows from a call that went well, now and whenever it is begun again: a skill that was loaded binds its
 * conversation, and files that were touched bring up the skills that are for them.
 */
function learn(execution: Execution, caller: Frame, call: Call): void {
  if (caller.provided.has(call.name)) return;
  const skill = execution.registry.lookup.find(call.name);
  if (call.options.through === 'load') learnTools(execution, caller, call, skill);
  for (const file of touchedBy(execution, call, skill)) caller.touched.add(file);
}

/** What the log says was loaded binds; what it allows counts only while the skill is the one that was loaded. */
function learnTools(
  { state, kernel }: Execution,
  caller: Frame,
  { id }: Call,
  skill: Skill | undefined,
): void {
  const started = state.frames.get(id)?.started;
  if (started === undefined) return;
  const { skill: name, digest, tools } = started;
  const file = skill?.file ?? '';
  if (tools !== undefined)
    caller.loaded.set(JSON.stringify([name, digest]), { skill: { name, file }, tools });
  if (skill !== undefined && kernel.digestOf(skill) === digest) caller.active.add(skill);
}

/** Only tools made in code know their files. */
function touchedBy(execution: Execution, { input }: Call, skill: Skill | undefined): readonly string[] {
  if (skill?.made === undefined) return [];
  try {
    const { family, definition } = openTarget(execution, skill);
    return family.permission?.(definition).touches?.(input) ?? [];
  } catch {
    return []; // the call went well: a tool that cannot tell its files, or is not there by now, changes nothing of that
  }
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
