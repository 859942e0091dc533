import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError, hashOf, type Begun, type Json } from '../../core/index.ts';
import type { Frame } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import type { KnownStep, StepOutcome } from './run-state.ts';

/** What the log says of a step; only what it does not say is done. Another request under the same key ends the run. */
export function lookedUp(
  execution: Execution,
  frame: Frame,
  { key, request }: { readonly key: string; readonly request: Json },
  work: (begun: Begun, known: KnownStep | undefined) => Promise<StepOutcome>,
): Promise<StepOutcome> {
  const begun: Begun = { key, request: hashOf(request) };
  return joined(execution, frame, begun, async () => {
    const known = execution.state.step(frame.id, key);
    if (known !== undefined && known.request !== begun.request) return execution.diverge(frame, key);
    if (known?.outcome === undefined) return work(begun, known);
    await frame.busy(() => execution.turns.inTurn(known.endedAt ?? 0));
    return known.outcome;
  });
}

/** The same key is the same thing: whoever asks for it while it is under way gets what it comes to. */
export async function joined<Value>(
  execution: Execution,
  frame: Frame,
  { key, request }: Begun,
  work: () => Promise<Value>,
): Promise<Value> {
  mustBeOutside(frame);
  const before = frame.underWay.get(key);
  if (before !== undefined && before.request !== request) return execution.diverge(frame, key);
  if (before !== undefined) return before.outcome as Promise<Value>;
  const outcome = work().finally(() => frame.underWay.delete(key));
  outcome.catch(() => undefined);
  frame.underWay.set(key, { request, outcome });
  return outcome;
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
