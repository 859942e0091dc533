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

/** Options for replaying a recording. */
export interface ReplayOptions {
  /** The id of the replay model. Defaults to the id of the first recorded model. */
  readonly id?: string;
  /** Redacts secrets. Must be the function that was used for recording. */
  readonly redact?: Redact;
}

/**
 * Creates a model that replays recorded responses, event by event and without delay. A repeated request
 * receives its responses in order, and then the last one again. An unknown request ends with the error
 * `model.unavailable`. A recording in text form has one JSON object per line. Throws `usage.bad-input` if
 * the recording is invalid.
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
      // Aborted requests do not consume a recorded response.
      if (signal.aborted) return play([abortedEnd(noUsage)], signal);
      const key = keyOf(request, redact);
      const recorded = answers.get(key) ?? [];
      const index = given.get(key) ?? 0;
      given.set(key, index + 1);
      const record = recorded[Math.min(index, recorded.length - 1)];
      return play(record?.events ?? [failedEnd(missing(request, key), noUsage)], signal);
    },
  };
}

function keyOf(request: ModelRequest, redact: Redact | undefined): string {
  // Removes properties that are undefined.
  const asked = JSON.parse(JSON.stringify(askedOf(request))) as Json;
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

const cutOff: ErrorData = { code: 'model.failed', message: 'The recorded answer was cut off.' };

const maxShown = 100; // The number of characters of a request's last message that an error quotes.

function missing({ messages }: ModelRequest, key: string): ErrorData {
  const last = messages.at(-1);
  const text = JSON.stringify(last?.text.slice(0, maxShown) ?? '');
  const count = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  return {
    code: 'model.unavailable',
    message: `No answer is recorded for request ${key} (${count}, the last one from the ${last?.role ?? 'nobody'}: ${text}).`,
    hint: 'Record the request with recordModel, or send exactly the request that was recorded.',
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
    hint: 'Each line must be one JSON object as written by recordModel.',
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // Invalid lines are reported by the caller.
  }
}

/** A model's response and its request. Contains only JSON values. */
export interface ModelRecord {
  /** The model's id in the form `provider/name`. */
  readonly model: string;
  readonly request: ModelRequest;
  /** The events in order of arrival, including `end`. */
  readonly events: readonly ModelEvent[];
}

/** Options for recording a model's responses. */
export interface RecordOptions {
  /** Removes secrets from the recording. The caller receives the unredacted response. */
  readonly redact?: Redact;
}

/**
 * Wraps a model so that each response is recorded when it ends. Aborted responses are not recorded. If a
 * response cannot be recorded, the request fails, so that the recording has no gaps.
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

/**
 * Returns the properties of a request that the model receives. Requests for which these are equal share
 * their responses.
 */
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
    hint: 'Check the location of the recording.',
  };
}

const longestSecret = 256; // The maximum length of a secret in characters.

/** Redacts consecutive chunks of text as one, because a secret may be split across chunks. */
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
