import type { Model, ModelEvent, ModelRequest } from '../core/model.ts';
import { createCallReader, type CallReader, type Found } from './text-tools/call-reader.ts';
import { renderRequest } from './text-tools/render.ts';

/**
 * A model that cannot call tools, made one that can: it is told them in words, and the calls are read out of what it
 * writes. A block that cannot be read is a call with a fault.
 */
export function withTextTools(model: Model): Model {
  return {
    id: model.id,
    async *stream(request, signal) {
      const nextId = createIds(request);
      const createReader = (): CallReader => createCallReader((request.tools ?? []).map(({ name }) => name));
      let reader = createReader();
      const eventOf = (found: Found): ModelEvent =>
        'text' in found
          ? { type: 'text', text: found.text }
          : { type: 'call', call: { id: nextId(), ...found.call } };
      for await (const event of model.stream(renderRequest(request), signal)) {
        switch (event.type) {
          case 'text':
            if (request.tools === undefined || request.tools.length === 0) yield event;
            else for (const found of reader.push(event.text)) yield eventOf(found);
            break;
          case 'attempt':
            reader = createReader();
            yield event;
            break;
          case 'end': {
            const { native: _native, ...end } = event; // it has the calls as text, and the turn has them as calls
            const isOver = end.reason === 'answer' || end.reason === 'length';
            if (isOver) for (const found of reader.end()) yield eventOf(found);
            yield isOver && reader.hasCalls ? { ...end, reason: 'calls' } : end;
            break;
          }
          default:
            yield event;
        }
      }
    },
  };
}

/** Ids that no call of the conversation has. */
function createIds({ messages }: ModelRequest): () => string {
  const used = messages.flatMap((message) =>
    message.role === 'assistant'
      ? (message.calls ?? []).map(({ id }) => Number(/^text-(\d+)$/.exec(id)?.[1] ?? 0))
      : [],
  );
  let last = used.reduce((one, other) => Math.max(one, other), 0);
  return () => `text-${++last}`;
}
