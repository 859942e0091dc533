import { optional, type JsonObject, type StopReason, type Usage } from '../../core/index.ts';
import { evenPieces } from '../../models/scripted.ts';
import type { ServedCall, ServedReply } from './script.ts';

/** A scripted answer in which defaults have replaced all absent values. */
export interface ModelServerReply {
  /** The number of the turn, counted from 1. Generated ids contain it. */
  readonly turn: number;
  /** The name of the model in the request. */
  readonly model: string;
  /** The body of the request. */
  readonly body: JsonObject;
  readonly text: string;
  readonly textPieces: readonly string[];
  readonly reasoning: string;
  readonly reasoningPieces: readonly string[];
  readonly signature: string;
  readonly calls: readonly ReplyCall[];
  readonly usage: Usage;
  readonly reason: StopReason;
  readonly rawReason?: string;
  /**
   * Whether to omit the closing events. If the answer is not streamed, its stop reason is omitted instead.
   */
  readonly endWithoutFinish: boolean;
}

/** A tool call with its arguments as text. */
export interface ReplyCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly pieces: readonly string[];
}

/** Builds the answer of a turn. Uses defaults for absent values. Pure. */
export function buildReply(served: ServedReply, turn: number, body: JsonObject): ModelServerReply {
  const { text = '', reasoning = '', signature = `signature-${turn}`, pieces, usage, rawReason } = served;
  const calls = (served.calls ?? []).map((call, index) => buildCall(call, `call-${turn}-${index + 1}`));
  const said = text + reasoning + calls.map((call) => call.name + call.arguments).join('');
  return {
    turn,
    model: typeof body['model'] === 'string' ? body['model'] : '',
    body,
    text,
    textPieces: piecesOfText(text, pieces),
    reasoning,
    reasoningPieces: piecesOfText(reasoning, pieces),
    signature,
    calls,
    usage: { inputTokens: countTokens(JSON.stringify(body)), outputTokens: countTokens(said), ...usage },
    reason: served.reason ?? usualReason(served),
    ...optional('rawReason', rawReason),
    endWithoutFinish: served.endWithoutFinish === true,
  };
}

function buildCall(
  { name, input = {}, rawInput = JSON.stringify(input), id = '' }: ServedCall,
  usualId: string,
): ReplyCall {
  return { id: id === '' ? usualId : id, name, arguments: rawInput, pieces: piecesOfArguments(rawInput) };
}

function usualReason({ error, calls = [] }: ServedReply): StopReason {
  if (error?.code === 'model.refused') return 'refused';
  if (error?.code === 'model.length') return 'length';
  return calls.length > 0 ? 'calls' : 'answer';
}

/** Estimates the number of tokens in a text, at four characters per token. */
function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/**
 * Splits text into `count` pieces of similar length, or into words if `count` is undefined. Pieces are never
 * empty, and characters are never split.
 */
function piecesOfText(text: string, count: number | undefined): readonly string[] {
  return count === undefined ? (text.match(/\s*\S+\s?|\s+/gu) ?? []) : evenPieces(text, count);
}

/**
 * Splits the JSON text of arguments into short pieces. Some splits fall inside strings or after the backslash
 * of an escape sequence.
 */
function piecesOfArguments(text: string): readonly string[] {
  return text.match(/[^\\]{1,7}\\?|\\/gu) ?? [];
}

/** Returns the first items of all lists, then their second items, and so on. */
export function interleave<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}
