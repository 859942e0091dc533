import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError, detach, type Output } from '../../core/index.ts';
import type { Call } from '../calls/call.ts';
import type { Frame } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import type { KnownStep, StepOutcome } from './run-state.ts';
import { failedOutput } from './sanitize.ts';

/** An operation's key within its frame, and the hash of its request. */
interface Asked {
  readonly key: string;
  /** The request's hash. A different request with the same key ends the run. */
  readonly request: string;
}

/** Returns the outcome of the operation in progress with this key, or undefined if there is none. */
export function underWay<Value>(
  execution: Execution,
  frame: Frame,
  { key, request }: Asked,
): Promise<Value> | undefined {
  const before = frame.underWay.get(key);
  if (before !== undefined && before.request !== request) return execution.diverge(frame, key);
  return before?.outcome as Promise<Value> | undefined;
}

/** Tracks an operation in progress, so that a repeated request gets the same outcome. */
export function track<Value>(frame: Frame, { key, request }: Asked, work: Promise<Value>): Promise<Value> {
  const outcome = work.finally(() => frame.underWay.delete(key));
  outcome.catch(() => undefined);
  frame.underWay.set(key, { request, outcome });
  return outcome;
}

/** Returns the recorded output of a call, or undefined if the log does not contain its end. */
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

/**
 * Returns a step's outcome: from the step in progress, from the log, or from running the step now. A
 * different request with the same key ends the run, unless `mayDiffer` accepts the recorded step.
 */
export function outcomeOf(
  execution: Execution,
  frame: Frame,
  asked: Asked,
  carryOut: (known: KnownStep | undefined) => Promise<StepOutcome>,
  mayDiffer: (known: KnownStep) => boolean = () => false,
): Promise<StepOutcome> {
  mustBeOutside(frame);
  const before = underWay<StepOutcome>(execution, frame, asked);
  if (before !== undefined) return before;
  const { key, request } = asked;
  const known = execution.state.step(frame.id, key);
  if (known !== undefined && known.request !== request && !mayDiffer(known))
    return execution.diverge(frame, key);
  const { outcome, endedAt = 0 } = known ?? {};
  return track(frame, asked, outcome === undefined ? carryOut(known) : inTurn(outcome, endedAt));

  async function inTurn(recorded: StepOutcome, at: number): Promise<StepOutcome> {
    await frame.busy(() => execution.turns.inTurn(at));
    return recorded;
  }
}

/** Whether a different program version wrote the log, in which case requests may be worded differently. */
export function isOtherVersion({ kernel }: Execution, version: string | undefined): boolean {
  return version !== kernel.version;
}

const unnamedModelKey = /^model:[0-9a-f]{16}:\d+$/;

/**
 * Returns the key of a model request without a name: the hash of its content and its number among the equal
 * requests of this frame. If the log lacks that key because another program version words the request
 * differently, returns the first unused key of that version.
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

/** Runs the effect of a step. During the effect, `mustBeOutside` throws. */
export function insideStep<Value>(frame: Frame, effect: () => Value): Value {
  return steps.run(frame, effect);
}

/**
 * Throws if called during the effect of a step in this frame. A replay would repeat requests that are made
 * there.
 */
export function mustBeOutside(frame: Frame): void {
  if (steps.getStore() !== frame) return;
  throw new AgentError(
    'usage.bad-input',
    `A step of "${frame.skill?.name ?? ''}" uses the skill's scope inside its effect.`,
    {
      hint: 'Use the scope before or after a step, not inside its effect.',
    },
  );
}
