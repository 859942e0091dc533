import type { Begun } from '../core/event.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { mustBeOutside } from './inside.ts';

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
