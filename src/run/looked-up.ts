import { hashOf } from '../core/canonical.ts';
import type { Begun } from '../core/event.ts';
import type { Json } from '../core/json.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { joined } from './joined.ts';
import type { KnownStep, Outcome } from './state.ts';

/** What the log says of a step; only what it does not say is done. Another request under the same key ends the run. */
export function lookedUp(
  execution: Execution,
  frame: Frame,
  { key, request }: { readonly key: string; readonly request: Json },
  work: (begun: Begun, known: KnownStep | undefined) => Promise<Outcome>,
): Promise<Outcome> {
  const begun: Begun = { key, request: hashOf(request) };
  return joined(execution, frame, begun, async () => {
    const known = execution.state.step(frame.id, key);
    if (known !== undefined && known.request !== begun.request) return execution.diverge(frame, key);
    if (known?.outcome === undefined) return work(begun, known);
    await frame.busy(() => execution.turns.inTurn(known.endedAt ?? 0));
    return known.outcome;
  });
}
