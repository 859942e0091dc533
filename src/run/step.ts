import { hashOf } from '../core/canonical.ts';
import { fromErrorData } from '../core/error.ts';
import type { EventBody } from '../core/event.ts';
import type { Json } from '../core/json.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { idempotencyKeyOf, questionIdOf } from './identity.ts';
import type { Outcome } from './state.ts';

/** One journalled thing: what it is recognised by, what it does, and how its beginning and its end are written. */
export interface Journalled {
  readonly key: string;
  /** What exactly is asked for. */
  readonly request: Json;
  readonly started: (begun: { readonly key: string; readonly request: string }) => EventBody;
  /** Does it; resolves with its end, which is kept before anybody uses it. */
  readonly effect: (attempt: number) => Promise<EventBody & Outcome>;
}

/** Does something at most once: what ended before is given again, and nothing else happens. */
export function once(execution: Execution, frame: Frame, step: Journalled): Promise<Outcome> {
  return joined(frame, step.key, async () => {
    const request = hashOf(step.request);
    const known = execution.state.step(frame.id, step.key);
    if (known !== undefined && known.request !== request) return execution.diverge(frame, step.key);
    if (known?.outcome !== undefined) return known.outcome;
    return frame.busy(async () => {
      await frame.follow(execution.journal.add(frame.id, step.started({ key: step.key, request })));
      const ended = await frame.follow(step.effect((known?.attempts ?? 0) + 1));
      await frame.follow(execution.journal.add(frame.id, ended));
      return ended;
    });
  });
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
        const made: unknown = await effect(idempotencyKeyOf(execution.runId, frame.id, key));
        return { type: 'step.ended', key, value: execution.clean(made) };
      } catch (thrown) {
        return { type: 'step.ended', key, error: execution.cleanError(thrown) };
      }
    },
  });
  if (error !== undefined) throw fromErrorData(error);
  return value ?? null;
}

/** A question to a person: it stays open until somebody answers, in this process or a later one. */
export function askPerson(
  execution: Execution,
  frame: Frame,
  question: {
    readonly key: string;
    readonly request: Json;
    readonly requested: (begun: { key: string; request: string; id: string }) => EventBody;
    readonly resolved: (answer: Json) => EventBody;
  },
): Promise<Json> {
  const { key, requested, resolved } = question;
  return joined(frame, key, async () => {
    const request = hashOf(question.request);
    const known = execution.state.step(frame.id, key);
    if (known !== undefined && known.request !== request) return execution.diverge(frame, key);
    if (known?.outcome !== undefined) return known.outcome.value ?? null;
    const id = questionIdOf(frame.id, key);
    if (known === undefined) {
      await frame.busy(() => execution.journal.add(frame.id, requested({ key, request, id })));
    }
    return execution.answers.wait(frame, id, resolved);
  });
}

/** The same key is the same thing: whoever asks for it while it is under way gets what it comes to. */
function joined<Value>(frame: Frame, key: string, work: () => Promise<Value>): Promise<Value> {
  const before = frame.underWay.get(key) as Promise<Value> | undefined;
  if (before !== undefined) return before;
  const begun = work().finally(() => frame.underWay.delete(key));
  begun.catch(() => undefined);
  frame.underWay.set(key, begun);
  return begun;
}
