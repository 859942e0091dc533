import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError, detach, type Output } from '../../core/index.ts';
import type { Call } from '../calls/call.ts';
import type { Frame } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import type { StepOutcome } from './run-state.ts';
import { failedOutput } from './sanitize.ts';

/** What tells one thing from the others that a frame began, and exactly what is asked for. */
interface Asked {
  readonly key: string;
  /** Hash of what is asked for: another request with the same key ends the run. */
  readonly request: string;
}

/** What something comes to that the frame already waits for; undefined when it does not. */
export function underWay<Value>(
  execution: Execution,
  frame: Frame,
  { key, request }: Asked,
): Promise<Value> | undefined {
  const before = frame.underWay.get(key);
  if (before !== undefined && before.request !== request) return execution.diverge(frame, key);
  return before?.outcome as Promise<Value> | undefined;
}

/** Remembers something while it is under way, so that whoever asks for it again gets what it comes to. */
export function track<Value>(frame: Frame, { key, request }: Asked, work: Promise<Value>): Promise<Value> {
  const outcome = work.finally(() => frame.underWay.delete(key));
  outcome.catch(() => undefined);
  frame.underWay.set(key, { request, outcome });
  return outcome;
}

/** What the log says that a call came to; undefined when the log does not know its end. */
export function recordedOutput(execution: Execution, caller: Frame, call: Call): Promise<Output> | undefined {
  const { key, known, request } = call;
  const refused = execution.state.refused(caller.id, key);
  const ended = refused ?? known?.ended;
  const before = refused?.request ?? known?.started.request ?? request;
  if (before !== request && !mayDiffer(execution, ended?.seq)) return execution.diverge(caller, key);
  return ended === undefined ? undefined : inTurn(ended);

  async function inTurn(end: NonNullable<typeof ended>): Promise<Output> {
    await caller.busy(() => execution.turns.inTurn(end.seq));
    return end.type === 'call.refused' ? failedOutput(end.error) : detach(end.output);
  }
}

/** What the log says that a step came to; undefined when the log does not know its end. A reworded step is the same one. */
export function recordedOutcome(
  execution: Execution,
  frame: Frame,
  { key, request, isReworded = false }: Asked & { readonly isReworded?: boolean },
): Promise<StepOutcome> | undefined {
  const known = execution.state.step(frame.id, key);
  const isOther = known !== undefined && known.request !== request;
  if (isOther && !isReworded && !mayDiffer(execution, known.endedAt)) return execution.diverge(frame, key);
  return known?.outcome === undefined ? undefined : inTurn(known.outcome, known.endedAt ?? 0);

  async function inTurn(outcome: StepOutcome, endedAt: number): Promise<StepOutcome> {
    await frame.busy(() => execution.turns.inTurn(endedAt));
    return outcome;
  }
}

/** Whether something may be asked for in other words than the log has: another version of the program recorded it. */
function mayDiffer({ isFromOtherVersion, takenUpAt }: Execution, endedAt = 0): boolean {
  return isFromOtherVersion && endedAt <= takenUpAt;
}

/**
 * A key made of what is asked for, and of how often that was asked in this frame. Where another version recorded the log
 * and it does not have the key, the first of that kind which was not asked for yet is the one: its words changed.
 */
export function wordedKey(execution: Execution, frame: Frame, kind: string, content: string): string {
  const key = frame.occurrence(`${kind}:${content}`);
  if (!execution.isFromOtherVersion) return key;
  const { state } = execution;
  const form = new RegExp(`^${kind}:[0-9a-f]{16}:\\d+$`);
  const isLeft = (recorded: string): boolean => form.test(recorded) && !frame.asked.has(recorded);
  const isKnown = state.step(frame.id, key) !== undefined;
  const found = isKnown ? key : (state.stepKeys(frame.id).find(isLeft) ?? key);
  frame.asked.add(found);
  return found;
}

const steps = new AsyncLocalStorage<Frame>();

/** Does the effect of a step, and remembers for as long as it takes that it is one. */
export function insideStep<Value>(frame: Frame, effect: () => Value): Value {
  return steps.run(frame, effect);
}

/** Throws inside the effect of a step of this frame: it would be done again although what it asked for is kept. */
export function mustBeOutside(frame: Frame): void {
  if (steps.getStore() !== frame) return;
  throw new AgentError('usage.bad-input', `A step of "${frame.skill?.name ?? ''}" uses its own scope.`, {
    hint: 'Ask, call and make steps one after another, not inside the effect of a step.',
  });
}
