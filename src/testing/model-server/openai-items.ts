import type { JsonObject } from '../../core/json.ts';
import { optional } from '../../core/collections.ts';
import type { Reply, ReplyCall } from './reply.ts';

/** One item of a response: the events that bring it, and what it comes to. */
export interface Item {
  readonly opening: readonly ItemEvent[];
  readonly pieces: readonly ItemEvent[];
  readonly ending: readonly ItemEvent[];
  readonly done: JsonObject;
}

/** An event of an item; where the item stands in the answer is added to it. */
export interface ItemEvent {
  readonly type: string;
  readonly more: JsonObject;
  readonly part?: 'piece';
}

/** Reasoning, message and calls of an answer, as far as it has them. */
export function buildItems(reply: Reply): readonly Item[] {
  return [
    ...(reply.reasoning === '' ? [] : [buildReasoning(reply)]),
    ...(reply.text === '' ? [] : [buildMessage(reply)]),
    ...reply.calls.map((call) => buildFunctionCall(call)),
  ];
}

function buildReasoning({ turn, reasoning, reasoningPieces, signature, body }: Reply): Item {
  const place = { item_id: `rs_${turn}`, summary_index: 0 };
  const summary = { type: 'summary_text', text: reasoning };
  const item = { id: `rs_${turn}`, type: 'reasoning' };
  const wanted = Array.isArray(body['include']) && body['include'].includes('reasoning.encrypted_content');
  const done = {
    ...item,
    summary: [summary],
    ...optional('encrypted_content', wanted ? signature : undefined),
  };
  return {
    done,
    opening: [
      { type: 'response.output_item.added', more: { item: { ...item, summary: [] } } },
      {
        type: 'response.reasoning_summary_part.added',
        more: { ...place, part: { type: 'summary_text', text: '' } },
      },
    ],
    pieces: piecesOf('response.reasoning_summary_text.delta', place, reasoningPieces),
    ending: [
      { type: 'response.reasoning_summary_text.done', more: { ...place, text: reasoning } },
      { type: 'response.reasoning_summary_part.done', more: { ...place, part: summary } },
      { type: 'response.output_item.done', more: { item: done } },
    ],
  };
}

function buildMessage({ turn, text, textPieces, reason }: Reply): Item {
  const place = { item_id: `msg_${turn}`, content_index: 0 };
  const item = { id: `msg_${turn}`, type: 'message', role: 'assistant' };
  const kind = reason === 'refused' ? 'refusal' : 'output_text';
  const field = reason === 'refused' ? 'refusal' : 'text';
  const contentOf = (said: string): JsonObject =>
    kind === 'refusal' ? { type: kind, refusal: said } : { type: kind, text: said, annotations: [] };
  const done = { ...item, status: 'completed', content: [contentOf(text)] };
  return {
    done,
    opening: [
      { type: 'response.output_item.added', more: { item: { ...item, status: 'in_progress', content: [] } } },
      { type: 'response.content_part.added', more: { ...place, part: contentOf('') } },
    ],
    pieces: piecesOf(`response.${kind}.delta`, place, textPieces),
    ending: [
      { type: `response.${kind}.done`, more: { ...place, [field]: text } },
      { type: 'response.content_part.done', more: { ...place, part: contentOf(text) } },
      { type: 'response.output_item.done', more: { item: done } },
    ],
  };
}

function buildFunctionCall({ id, name, arguments: text, pieces }: ReplyCall): Item {
  const place = { item_id: `fc_${id}` };
  const item = { id: `fc_${id}`, type: 'function_call', call_id: id, name };
  const done = { ...item, arguments: text, status: 'completed' };
  return {
    done,
    opening: [
      {
        type: 'response.output_item.added',
        more: { item: { ...item, arguments: '', status: 'in_progress' } },
      },
    ],
    pieces: piecesOf('response.function_call_arguments.delta', place, pieces),
    ending: [
      { type: 'response.function_call_arguments.done', more: { ...place, name, arguments: text } },
      { type: 'response.output_item.done', more: { item: done } },
    ],
  };
}

function piecesOf(type: string, place: JsonObject, pieces: readonly string[]): readonly ItemEvent[] {
  return pieces.map((delta) => ({ type, more: { ...place, delta }, part: 'piece' }));
}
