import { detach } from '../core/detach.ts';
import { AgentError } from '../core/error.ts';
import type { Json } from '../core/json.ts';
import type { Output } from '../core/output.ts';
import type { CallOptions } from '../core/scope.ts';
import { accept } from './accept.ts';
import { boundCall } from './bound.ts';
import { identify, type Call } from './call.ts';
import { failedOutput } from './clean.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { joined } from './joined.ts';
import { learn } from './learn.ts';
import { mustBeWanted, perform, type Admitted } from './perform.ts';
import { checkHidden } from './check-hidden.ts';
import { checkAllowList } from './check-lists.ts';
import { permitCall } from './permit.ts';
import { prepared } from './prepare.ts';
import { openTarget } from './resolve.ts';
import { createScope } from './scope.ts';
import { checkShell } from './check-shell.ts';
import { isVouched, mustBeAllowed } from './vouch.ts';
import { workOf, type Work } from './work-of.ts';
import { nothingSpent, type KnownFrame, type Spent } from './state.ts';
import type { Target } from './target.ts';

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
  let admitted: Admitted & { readonly input: Json; readonly work: Work };
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
): Promise<Admitted & { readonly input: Json; readonly work: Work }> {
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
function usedInput({ skill, family, definition }: Target, { input, given }: Call): Json {
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
