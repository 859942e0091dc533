import { hashOf } from '../core/canonical.ts';
import { detach } from '../core/detach.ts';
import { fromErrorData } from '../core/error.ts';
import type { Begun, EventBody } from '../core/event.ts';
import type { Json } from '../core/json.ts';
import { skillError } from './clean.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { idempotencyKeyOf, questionIdOf } from './identity.ts';
import { insideStep, mustBeOutside } from './inside.ts';
import type { KnownStep, Outcome } from './state.ts';

/** One journalled thing: what it is recognised by, what it does, and how its beginning and its end are written. */
export interface Journalled {
  readonly key: string;
  /** What exactly is asked for. */
  readonly request: Json;
  readonly started: (begun: Begun) => EventBody;
  /** Does it; resolves with its end, which is kept before anybody uses it. */
  readonly effect: (attempt: number) => Promise<EventBody & Outcome>;
}

/** Does something at most once: what ended before is given again, and nothing else happens. */
export function once(execution: Execution, frame: Frame, step: Journalled): Promise<Outcome> {
  return lookedUp(execution, frame, step, (begun, known) =>
    frame.busy(async () => {
      const { turns, journal } = execution;
      await frame.busy(() => turns.mayBegin());
      await frame.busy(() => journal.add(frame.id, step.started(begun)));
      const ended = await frame.busy(() => step.effect((known?.attempts ?? 0) + 1));
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
    started: (begun) => ({ type: 'step.started', ...begun }),
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

/** A question to a person. */
export interface Asking {
  readonly key: string;
  readonly request: Json;
  readonly requested: (begun: Begun & { readonly id: string }) => EventBody;
  readonly resolved: (answer: Json) => EventBody;
  /** Questions under one rule are decided together when a person says so. */
  readonly rule?: string;
}

/** Asks a person: the question stays open until somebody answers, in this process or a later one. */
export async function askPerson(execution: Execution, frame: Frame, asking: Asking): Promise<Json> {
  const { value } = await lookedUp(execution, frame, asking, async (begun, known) => {
    const id = questionIdOf(frame.id, asking.key);
    if (known === undefined) {
      await frame.busy(() => execution.turns.mayBegin());
      await frame.busy(() => execution.journal.add(frame.id, asking.requested({ ...begun, id })));
    }
    return { value: await execution.answers.wait(frame, id, asking) };
  });
  return detach(value ?? null);
}

/** What the log says of a step; only what it does not say is done. Another request under the same key ends the run. */
function lookedUp(
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
