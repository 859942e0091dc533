import { hashOf } from '../core/json/normalize.ts';
import { AgentError, type ErrorData } from '../core/error.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { noUsage, type Model, type ModelEvent, type ModelRequest } from '../core/model.ts';
import { redactJson, type Redact } from '../core/secrets/redact.ts';
import { abortedEnd, failedEnd } from './model-end.ts';
import { askedOf, type ModelRecord } from './record.ts';

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
