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
  const version = refused === undefined ? known?.version : refused.version;
  if (before !== request && !isOtherVersion(execution, version)) return execution.diverge(caller, key);
  return ended === undefined ? undefined : inTurn(ended);

  async function inTurn(end: NonNullable<typeof ended>): Promise<Output> {
    await caller.busy(() => execution.turns.inTurn(end.seq));
    return end.type === 'call.refused' ? failedOutput(end.error) : detach(end.output);
  }
}

/** What the log says that a step came to; undefined when the log does not know its end. With `mayDiffer`, another request is the same step. */
export function recordedOutcome(
  execution: Execution,
  frame: Frame,
  { key, request }: Asked,
  mayDiffer = false,
): Promise<StepOutcome> | undefined {
  const known = execution.state.step(frame.id, key);
  if (known !== undefined && known.request !== request && !mayDiffer) return execution.diverge(frame, key);
  return known?.outcome === undefined ? undefined : inTurn(known.outcome, known.endedAt ?? 0);

  async function inTurn(outcome: StepOutcome, endedAt: number): Promise<StepOutcome> {
    await frame.busy(() => execution.turns.inTurn(endedAt));
    return outcome;
  }
}

/** Whether another version of the program recorded something: it may have asked for it in other words. */
export function isOtherVersion({ kernel }: Execution, version: string | undefined): boolean {
  return version !== kernel.version;
}

const unnamedModelKey = /^model:[0-9a-f]{16}:\d+$/;

/**
 * The key of a model request without a name: made of its content, and of how often that was asked in this frame. If the
 * log does not have it, the first unnamed request that another version recorded and nobody asked for yet is the one: its
 * words changed.
 */
export function unnamedKey(execution: Execution, frame: Frame, content: string): string {
  const key = frame.occurrence(`model:${content}`);
  const { state, kernel } = execution;
  if ([...state.versions].every((version) => version === kernel.version)) return key;
  const isFree = (recorded: string): boolean =>
    !frame.asked.has(recorded) && isOtherVersion(execution, state.step(frame.id, recorded)?.version);
  const isKnown = state.step(frame.id, key) !== undefined && !frame.asked.has(key);
  const found = isKnown
    ? key
    : state.stepKeys(frame.id).find((recorded) => unnamedModelKey.test(recorded) && isFree(recorded));
  frame.asked.add(found ?? key);
  return found ?? key;
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
