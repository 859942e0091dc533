import { reasonOf } from '../core/error.ts';
import type { Json } from '../core/json.ts';
import type { Model, ModelEvent, ModelRequest } from '../core/model.ts';
import { createStreamRedactor, redactJson, type Redact } from '../core/secrets/redact.ts';
import { failedEnd } from './model-end.ts';

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
export function askedOf({ key: _key, joins: _joins, ...request }: ModelRequest): ModelRequest {
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
