import { detach, type CallOptions, type Output, type Skill } from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { recordedOutput, track, underWay } from '../log/replay.ts';
import { failedOutput } from '../log/sanitize.ts';
import { mustBeAllowed } from '../permissions/attest.ts';
import { createScope } from '../scope/create-scope.ts';
import { admit, type Admitted } from './admit.ts';
import { identify, type Call } from './call.ts';
import { beginFrame, boundFrame, endFrame, openFrame } from './frame-events.ts';
import type { Frame } from './frame.ts';
import { prepared } from './prepare.ts';
import { openTarget } from './resolve.ts';

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
  const asked = { key: `call:${call.key}`, request: call.request };
  const outcome =
    underWay<Output>(execution, caller, asked) ??
    track(caller, asked, recordedOutput(execution, caller, call) ?? carryOut(execution, caller, call));
  const output = await outcome;
  if (output.status === 'done') learn(execution, caller, call);
  return output;
}

/** Admits a call, executes the skill in a frame of its own and records how that ended; whatever happens is data. */
async function carryOut(execution: Execution, caller: Frame, call: Call): Promise<Output> {
  if (call.known === undefined) await caller.busy(() => execution.turns.mayBegin());
  let admitted: Admitted;
  try {
    admitted = await admit(execution, caller, call);
  } catch (thrown) {
    return detach(await refuse(execution, caller, call, thrown));
  }
  if (!caller.isLive) return new Promise(() => undefined); // it was stopped while the call was admitted
  const frame = openFrame(caller, admitted);
  using _bounds = boundFrame(execution, frame, admitted);
  return detach(await endFrame(execution, frame, execute(execution, frame, admitted)));
}

async function execute(execution: Execution, frame: Frame, admitted: Admitted): Promise<Output> {
  await beginFrame(execution, frame, admitted);
  const { kernel } = execution;
  const { call, target, input, work, permitted } = admitted;
  const isBuild = call.options.through === 'build';
  if (isBuild || target.family.generation?.prepare !== undefined)
    await frame.busy(() => mustBeAllowed(kernel, target.skill, permitted?.versions.get(target.skill)));
  const ready = isBuild ? target.definition : await prepared(execution, frame, target, invoke);
  try {
    return await work(ready, input, createScope(execution, frame, target, invoke, permitted));
  } finally {
    if (isBuild) kernel.renewDigest(target.skill);
  }
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
    return family.permission?.describe?.(definition).touches?.(input) ?? [];
  } catch {
    return []; // the call went well: a tool that cannot tell its files, or is not there by now, changes nothing of that
  }
}
