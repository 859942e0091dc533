import { detach, fromErrorData, type CallOptions, type Output, type Skill } from '../../core/index.ts';
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
 * Calls a skill; there is no other way to do so. A call is resolved, checked against the limits and
 * permissions, prepared, executed and recorded. If the log contains the outcome, returns it without another
 * call. Records each refusal and returns it as data.
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

/**
 * Checks a call, executes the skill in a new frame and records the outcome. Never throws, because failures
 * are also outcomes.
 */
async function carryOut(execution: Execution, caller: Frame, call: Call): Promise<Output> {
  const { refusal } = call.options;
  if (call.known === undefined) await caller.busy(() => execution.turns.mayBegin());
  let admitted: Admitted;
  try {
    if (refusal !== undefined) throw fromErrorData(refusal);
    admitted = await admit(execution, caller, call);
  } catch (thrown) {
    return detach(await refuse(execution, caller, call, thrown));
  }
  // The caller was stopped while this call was being checked.
  if (!caller.isLive) return new Promise(() => undefined);
  const attempt = async (earlier?: Frame): Promise<Output> => {
    const frame = openFrame(caller, admitted, earlier);
    using _bounds = boundFrame(execution, frame, admitted);
    return await endFrame(execution, frame, execute(execution, frame, admitted), () => attempt(frame));
  };
  return detach(await attempt());
}

async function execute(execution: Execution, frame: Frame, admitted: Admitted): Promise<Output> {
  await beginFrame(execution, frame, admitted);
  const { kernel } = execution;
  const { call, target, input, work, permitted } = admitted;
  const isBuild = call.options.mode === 'build';
  if (isBuild || target.family.generation?.prepare !== undefined)
    await frame.busy(() => mustBeAllowed(kernel, target.skill, permitted?.versions.get(target.skill)));
  const ready = isBuild ? target.definition : await prepared(execution, frame, target, invoke);
  try {
    return await work(ready, input, createScope(execution, frame, target, invoke, permitted));
  } finally {
    if (isBuild) kernel.renewDigest(target.skill);
  }
}

/** Records that a call cannot begin or continue, and returns the refusal. */
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
 * Updates the calling frame after a successful call, and again on each replay. A loaded skill restricts the
 * conversation, and files that the call used can activate skills.
 */
function learn(execution: Execution, caller: Frame, call: Call): void {
  if (caller.provided.has(call.name)) return;
  const skill = execution.registry.lookup.find(call.name);
  if (call.options.mode === 'load') learnTools(execution, caller, call, skill);
  for (const file of touchedBy(execution, call, skill)) caller.touched.add(file);
}

/**
 * Applies the tool list of a loaded skill. The list's restrictions always apply, but the skill's grants apply
 * only while the skill is unchanged.
 */
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

/** Returns the files that a call used. Only tools that are defined in code report their files. */
function touchedBy(execution: Execution, { input }: Call, skill: Skill | undefined): readonly string[] {
  if (skill?.codeDefinition === undefined) return [];
  try {
    const { family, definition } = openTarget(execution, skill);
    return family.permission?.describe?.(definition).touches?.(input) ?? [];
  } catch {
    return []; // The call succeeded, even if its tool no longer exists or cannot list its files.
  }
}
