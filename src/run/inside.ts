import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError } from '../core/error.ts';
import type { Frame } from './frame.ts';

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
