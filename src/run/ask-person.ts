import { detach } from '../core/detach.ts';
import { fromErrorData } from '../core/error.ts';
import type { Begun, EventBody } from '../core/event.ts';
import type { Json } from '../core/json.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import type { Awaiting } from './answers.ts';
import { questionIdOf } from './identity.ts';
import { lookedUp } from './looked-up.ts';

/** A question to a person. */
export interface Asking extends Awaiting {
  readonly key: string;
  readonly request: Json;
  readonly requested: (begun: Begun & { readonly id: string }) => EventBody;
  /** Who wants to know that it waits, besides the callers of its frame and of those above. */
  readonly onWait?: (() => void) | undefined;
}

/** Asks a person: the question stays open until somebody answers, in this process or a later one, or until it is too late. */
export async function askPerson(execution: Execution, frame: Frame, asking: Asking): Promise<Json> {
  const { value, error } = await lookedUp(execution, frame, asking, async (begun, known) => {
    const id = questionIdOf(frame.id, asking.key);
    if (known === undefined) {
      await frame.busy(() => execution.turns.mayBegin());
      await frame.busy(() => execution.journal.add(frame.id, asking.requested({ ...begun, id })));
    }
    const answer = execution.answers.wait(frame, id, asking);
    for (const tell of [asking.onWait, ...frame.path.map(({ options }) => options.onWait)]) tell?.();
    return await answer;
  });
  if (error !== undefined) throw fromErrorData(error);
  return detach(value ?? null);
}
