import { addUsage, noUsage, type Model, type ModelEvent, type ModelRequest } from '../core/model.ts';
import type { Usage } from '../core/model.ts';
import { withTextTools } from './text-tools.ts';

const cannotCall = /does not support tools|tool.{0,20}not supported/i;

/** A model that calls tools by itself until its provider says that it cannot; from then on it is told them in words. */
export function nativeOrText(model: Model): Model {
  const inText = withTextTools(model);
  let isText = false;

  /** What was used in vain; undefined when that was the answer. */
  async function* tryNative(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, Usage | undefined> {
    for await (const event of model.stream(request, signal)) {
      const error = event.type === 'end' ? event.error : undefined;
      if (event.type === 'end' && error !== undefined && cannotCall.test(error.message)) {
        isText = true;
        yield { type: 'attempt', failed: { model: model.id, error } };
        return event.usage;
      }
      yield event;
    }
    return undefined;
  }

  return {
    id: model.id,
    async *stream(request, signal) {
      const usage = isText ? noUsage : yield* tryNative(request, signal);
      if (usage === undefined) return;
      for await (const event of inText.stream(request, signal)) {
        yield event.type === 'end' ? { ...event, usage: addUsage(usage, event.usage) } : event;
      }
    },
  };
}
