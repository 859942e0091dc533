import { hash } from 'node:crypto';
import {
  detach,
  fromErrorData,
  hashOf,
  memorySpace,
  optional,
  type Artifact,
  type Begun,
  type Entry,
  type EventBody,
  type Json,
  type Memory,
} from '../../core/index.ts';
import type { Frame } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import {
  insideStep,
  isOtherVersion,
  mustBeOutside,
  recordedOutcome,
  track,
  underWay,
} from '../log/replay.ts';
import type { KnownStep, StepOutcome } from '../log/run-state.ts';
import { cleanText, contentKey, idempotencyKeyOf, mostText, skillError } from '../log/sanitize.ts';

/** Adds a line for whoever watches, once: a frame that runs again says nothing twice. Never throws. */
export function addNote(execution: Execution, frame: Frame, message: string, data: Json | undefined): void {
  if (!frame.isLive) return;
  const text = cleanText(message, execution.kernel.redact);
  const more = data === undefined ? {} : keptOf(execution, data);
  const key = frame.occurrence(contentKey('note', [text, more]));
  if (execution.state.isNoted(frame.id, key)) return;
  void execution.journal.add(frame.id, { type: 'note.added', key, message: text, ...more });
}

function keptOf(execution: Execution, data: Json): { data?: Json } {
  try {
    return { data: execution.clean(data) };
  } catch {
    return {}; // the line is worth more than what cannot be kept beside it
  }
}

/** Keeps something with the run, once: a frame that runs again adds nothing twice. Throws `limit.too-large` for too much data. */
export function addArtifact(execution: Execution, frame: Frame, artifact: Artifact): void {
  if (!frame.isLive) return;
  const { redact } = execution.kernel;
  const text = redact(artifact.text);
  const made = {
    name: cleanText(artifact.name, redact),
    mediaType: cleanText(artifact.mediaType, redact),
    text: text.slice(0, mostText).toWellFormed(),
    digest: `sha256:${hash('sha256', text)}`,
    ...(text.length > mostText ? { cut: true as const } : {}),
    ...optional('data', artifact.data === undefined ? undefined : execution.clean(artifact.data)),
  };
  const key = frame.occurrence(contentKey('artifact', [made.name, made.digest, made.data ?? null]));
  if (execution.state.isNoted(frame.id, key)) return;
  void execution.journal.add(frame.id, { type: 'artifact.created', key, ...made });
}

/** The memory of a session as one frame sees it: reads are steps, writes are kept with the end of the frame. */
export function createMemory(execution: Execution, frame: Frame): Memory {
  const { store, memory } = execution.kernel;
  const read = async (key: string): Promise<Json> => {
    const value = frame.writes.has(key)
      ? frame.writes.get(key)
      : memory === undefined
        ? await store.get(memorySpace(execution.session), entryKey(frame, key))
        : memory.get(entryKey(frame, key));
    return value === undefined ? [] : [value];
  };
  const found = async (given: string): Promise<Json | undefined> => {
    mustBeOutside(frame);
    const key = execution.cleanKey(given);
    const step = frame.occurrence(contentKey('memory', key));
    const [value] = (await runStep(execution, frame, step, () => read(key))) as readonly Json[];
    return value;
  };
  return {
    get(given) {
      const value = found(given);
      value.catch(() => undefined); // a skill may leave it
      return value;
    },
    set(key, value) {
      mustBeOutside(frame);
      if (frame.isLive) frame.writes.set(execution.cleanKey(key), execution.clean(value));
    },
    delete(key) {
      mustBeOutside(frame);
      if (frame.isLive) frame.writes.set(execution.cleanKey(key), undefined);
    },
  };
}

/** What a frame leaves in the memory of its session, for the store; where a map of the caller stands in for it, that has it at once. */
export function memoryEntries({ kernel: { memory }, session }: Execution, frame: Frame): readonly Entry[] {
  const space = memorySpace(session);
  const entries = [...frame.writes].map(([key, value]) => ({ space, key: entryKey(frame, key), value }));
  if (memory === undefined) return entries;
  for (const { key, value } of entries) {
    if (value === undefined) memory.delete(key);
    else memory.set(key, value);
  }
  return [];
}

/** Apart for each skill; a skill's name has no slash. */
function entryKey({ skill }: Frame, key: string): string {
  return `${skill?.name ?? ''}/${key}`;
}

/** How the log says that something begins, and the values that are written with it. */
export interface Beginning {
  readonly event: EventBody;
  readonly entries?: readonly Entry[];
}

/** One journalled thing: what it is recognised by, what it does, and how its beginning and its end are written. */
interface Journalled {
  readonly key: string;
  /** What exactly is asked for. */
  readonly request: Json;
  readonly started: (begun: Begun, known: KnownStep | undefined) => Beginning | Promise<Beginning>;
  /** Its words may have changed since an earlier process asked: the same key is the same thing. */
  readonly mayBeReworded?: true;
  /** It may wait for a person, below the frame: while it is under way, the frame is not busy with it. */
  readonly mayWait?: boolean;
  /** Does it; resolves with its end, which is kept before anybody uses it. */
  readonly effect: (attempt: number) => Promise<EventBody & StepOutcome>;
}

/** Does something at most once: what ended before is given again, and nothing else happens. */
export async function once(execution: Execution, frame: Frame, step: Journalled): Promise<StepOutcome> {
  mustBeOutside(frame);
  const begun: Begun = { key: step.key, request: hashOf(step.request) };
  const known = execution.state.step(frame.id, step.key);
  const isEarlier = (known?.endedAt ?? 0) <= execution.takenUpAt;
  const mayDiffer = (step.mayBeReworded === true && isEarlier) || isOtherVersion(execution, known?.version);
  return (
    underWay<StepOutcome>(execution, frame, begun) ??
    track(
      frame,
      begun,
      recordedOutcome(execution, frame, begun, mayDiffer) ?? carryOut(execution, frame, step, begun),
    )
  );
}

async function carryOut(
  execution: Execution,
  frame: Frame,
  step: Journalled,
  begun: Begun,
): Promise<StepOutcome> {
  const { turns, journal, state } = execution;
  const during = <Value>(work: () => Promise<Value>): Promise<Value> =>
    step.mayWait === true ? frame.follow(work()) : frame.busy(work);
  const known = state.step(frame.id, step.key);
  return during(async () => {
    await frame.busy(() => turns.mayBegin());
    await frame.busy(async () => {
      const { event, entries } = await step.started(begun, known);
      await journal.add(frame.id, event, entries);
    });
    const ended = await during(() => step.effect((known?.attempts ?? 0) + 1));
    await frame.busy(async () => turns.inTurn(await journal.add(frame.id, ended)));
    return ended;
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
