import { detach } from '../core/detach.ts';
import type { Begun, EventBody } from '../core/event.ts';
import type { Json } from '../core/json.ts';
import type { ApprovalRequest } from '../core/policy.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { questionIdOf } from './identity.ts';
import { lookedUp } from './looked-up.ts';

/** A question to a person. */
export interface Asking {
  readonly key: string;
  readonly request: Json;
  readonly requested: (begun: Begun & { readonly id: string }) => EventBody;
  readonly resolved: (answer: Json) => EventBody;
  /** Questions under the same leave are decided together when a person gives it. */
  readonly asks?: ApprovalRequest;
  /** Milliseconds until nobody can answer any more. */
  readonly expiresIn?: number;
  /** Who wants to know that it waits, besides the callers of its frame and of those above. */
  readonly onWait?: (() => void) | undefined;
}

/** Asks a person: the question stays open until somebody answers, in this process or a later one. */
export async function askPerson(execution: Execution, frame: Frame, asking: Asking): Promise<Json> {
  const { value } = await lookedUp(execution, frame, asking, async (begun, known) => {
    const id = questionIdOf(frame.id, asking.key);
    if (known === undefined) {
      await frame.busy(() => execution.turns.mayBegin());
      await frame.busy(() => execution.journal.add(frame.id, asking.requested({ ...begun, id })));
    }
    const answer = execution.answers.wait(frame, id, asking);
    for (const tell of [asking.onWait, ...frame.path.map(({ options }) => options.onWait)]) tell?.();
    return { value: await answer };
  });
  return detach(value ?? null);
}
