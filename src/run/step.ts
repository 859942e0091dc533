import { detach } from '../core/detach.ts';
import { fromErrorData } from '../core/error.ts';
import type { Begun, EventBody } from '../core/event.ts';
import type { Json } from '../core/json.ts';
import type { Entry } from '../core/store.ts';
import { skillError } from './clean.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { idempotencyKeyOf } from './identity.ts';
import { insideStep } from './inside.ts';
import { lookedUp } from './looked-up.ts';
import type { KnownStep, Outcome } from './state.ts';

/** How the log says that something begins, and the values that are written with it. */
export interface Beginning {
  readonly event: EventBody;
  readonly entries?: readonly Entry[];
}

/** One journalled thing: what it is recognised by, what it does, and how its beginning and its end are written. */
export interface Journalled {
  readonly key: string;
  /** What exactly is asked for. */
  readonly request: Json;
  readonly started: (begun: Begun, known: KnownStep | undefined) => Beginning | Promise<Beginning>;
  /** It may wait for a person, below the frame: while it is under way, the frame is not busy with it. */
  readonly mayWait?: boolean;
  /** Does it; resolves with its end, which is kept before anybody uses it. */
  readonly effect: (attempt: number) => Promise<EventBody & Outcome>;
}

/** Does something at most once: what ended before is given again, and nothing else happens. */
export function once(execution: Execution, frame: Frame, step: Journalled): Promise<Outcome> {
  const during = <Value>(work: () => Promise<Value>): Promise<Value> =>
    step.mayWait === true ? frame.follow(work()) : frame.busy(work);
  return lookedUp(execution, frame, step, (begun, known) =>
    during(async () => {
      const { turns, journal } = execution;
      await frame.busy(() => turns.mayBegin());
      await frame.busy(async () => {
        const { event, entries } = await step.started(begun, known);
        await journal.add(frame.id, event, entries);
      });
      const ended = await during(() => step.effect((known?.attempts ?? 0) + 1));
      await frame.busy(async () => turns.inTurn(await journal.add(frame.id, ended)));
      return ended;
    }),
  );
}

/** An effect whose value or failure is kept; its caller gets exactly what was kept. */
export async function runStep(
  execution: Execution,
  frame: Frame,
  key: string,
  effect: (idempotencyKey: string) => unknown,
  request: Json = null,
): Promise<Json> {
  const { value, error } = await once(execution, frame, {
    key,
    request,
    started: (begun) => ({ event: { type: 'step.started', ...begun } }),
    effect: async () => {
      try {
        const idempotencyKey = idempotencyKeyOf(execution.runId, frame.id, key);
        const made: unknown = await insideStep(frame, () => effect(idempotencyKey));
        return { type: 'step.ended', key, value: execution.clean(made) };
      } catch (thrown) {
        return { type: 'step.ended', key, error: execution.cleanError(skillError(thrown)) };
      }
    },
  });
  if (error !== undefined) throw fromErrorData(error);
  return detach(value ?? null);
}
