import {
  AgentError,
  createStreamRedactor,
  hashOf,
  isJsonObject,
  noUsage,
  reasonOf,
  redactJson,
  type ErrorData,
  type Json,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type Redact,
} from '../core/index.ts';
import { abortedEnd, failedEnd } from './model-end.ts';

/** How a recording is replayed. */
export interface ReplayOptions {
  /** Unless given, that of the first recorded model. */
  readonly id?: string;
  /** The one that the recording was made with. */
  readonly redact?: Redact;
}

/**
 * A model that answers as recorded, piece by piece and without delay. A request that was made several times gets its
 * answers in their order, and the last of them from then on; one that was never made is `model.unavailable`.
 * Text is a recording with one JSON object on each line; throws `usage.bad-input` for one that is none.
 */
export function createReplayModel(
  recording: string | readonly ModelRecord[],
  options: ReplayOptions = {},
): Model {
  const records = typeof recording === 'string' ? recordsIn(recording) : recording;
  const { id = records[0]?.model ?? 'replay/empty', redact } = options;
  const answers = new Map<string, ModelRecord[]>();
  for (const record of records) {
    const key = keyOf(record.request, redact);
    answers.set(key, [...(answers.get(key) ?? []), record]);
  }
  const given = new Map<string, number>();
  return {
    id,
    stream(request, signal) {
      if (signal.aborted) return play([abortedEnd(noUsage)], signal); // it is not even asked
      const key = keyOf(request, redact);
      const recorded = answers.get(key) ?? [];
      const place = given.get(key) ?? 0;
      given.set(key, place + 1);
      const record = recorded[Math.min(place, recorded.length - 1)];
      return play(record?.events ?? [failedEnd(missing(request, key), noUsage)], signal);
    },
  };
}

function keyOf(request: ModelRequest, redact: Redact | undefined): string {
  const asked = JSON.parse(JSON.stringify(askedOf(request))) as Json; // members that are undefined do not count
  return hashOf(redact === undefined ? asked : redactJson(asked, redact));
}

async function* play(events: readonly ModelEvent[], signal: AbortSignal): AsyncGenerator<ModelEvent> {
  for (const event of events) {
    const next = signal.aborted ? abortedEnd(noUsage) : event;
    yield next;
    if (next.type === 'end') return;
  }
  yield failedEnd(cutOff, noUsage);
}

const cutOff: ErrorData = { code: 'model.failed', message: 'The recorded answer has no end.' };

const mostShown = 100; // characters of the last message

function missing({ messages }: ModelRequest, key: string): ErrorData {
  const last = messages.at(-1);
  const text = JSON.stringify(last?.text.slice(0, mostShown) ?? '');
  return {
    code: 'model.unavailable',
    message: `Nothing is recorded for request ${key}: ${messages.length} messages, the last one by the ${last?.role ?? 'nobody'}: ${text}.`,
    hint: 'Record it with recordModel, or ask as it was recorded.',
  };
}

function recordsIn(text: string): readonly ModelRecord[] {
  return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [recordOf(line, index + 1)]));
}

function recordOf(line: string, number: number): ModelRecord {
  const value = parsed(line);
  if (
    isJsonObject(value) &&
    typeof value['model'] === 'string' &&
    isJsonObject(value['request']) &&
    Array.isArray(value['request']['messages']) &&
    Array.isArray(value['events'])
  )
    return value as unknown as ModelRecord;
  throw new AgentError('usage.bad-input', `Line ${number} of the recording is not a recorded answer.`, {
    hint: 'Each line is one JSON object as recordModel writes it.',
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the caller says which line it is
  }
}

/** An answer of a model with what it was asked; survives JSON. */
export interface ModelRecord {
  /** `provider/name`. */
  readonly model: string;
  readonly request: ModelRequest;
  /** The pieces as they came, the end included. */
  readonly events: readonly ModelEvent[];
}

/** How a recording is made. */
export interface RecordOptions {
  /** Takes secrets out of what is written; the answer itself is not changed. */
  readonly redact?: Redact;
}

/**
 * A model whose answers are written down, each as one object once it has ended; those that were called off are not.
 * An answer that cannot be written is a failure, so that no recording has gaps.
 */
export function recordModel(
  model: Model,
  write: (record: ModelRecord) => Promise<void> | void,
  { redact }: RecordOptions = {},
): Model {
  return {
    id: model.id,
    async *stream(request, signal) {
      const events: ModelEvent[] = [];
      for await (const event of model.stream(request, signal)) {
        events.push(event);
        if (event.type !== 'end' || event.reason === 'aborted') yield event;
        else {
          const record = { model: model.id, request: askedOf(request), events };
          const fault = await faultOf(() => write(redact === undefined ? record : redacted(record, redact)));
          yield fault === undefined ? event : failedEnd(notRecorded(model, fault), event.usage);
        }
      }
    },
  };
}

/** What a model sees of a request; equal ones get equal answers. */
function askedOf({ key: _key, joins: _joins, ...request }: ModelRequest): ModelRequest {
  return request;
}

async function faultOf(work: () => Promise<void> | void): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

function notRecorded({ id }: Model, fault: string): Parameters<typeof failedEnd>[0] {
  return {
    code: 'model.failed',
    message: `The answer of ${id} could not be recorded: ${fault.replace(/\.?$/, '.')}`,
    hint: 'Look at where it is to be written.',
  };
}

const longestSecret = 256; // characters

/** A secret may lie across pieces of text, so these are redacted as one. */
function redacted({ events, ...rest }: ModelRecord, redact: Redact): ModelRecord {
  let texts = createStreamRedactor(redact, longestSecret);
  const safe: ModelEvent[] = [];
  const show = (text: string): void => {
    if (text !== '') safe.push({ type: 'text', text });
  };
  for (const event of events) {
    if (event.type === 'text') show(texts.push(event.text));
    else {
      show(texts.end());
      texts = createStreamRedactor(redact, longestSecret);
      safe.push(event);
    }
  }
  return redactJson({ ...rest, events: safe } as unknown as Json, redact) as unknown as ModelRecord;
}
