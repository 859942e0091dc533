import { optional, type JsonObject, type StopReason, type Usage } from '../../core/index.ts';
import { evenPieces } from '../../models/scripted.ts';
import type { ServedCall, ServedReply } from './script.ts';

/** An answer with everything decided that a protocol has to write down. */
export interface ModelServerReply {
  /** Counted from 1; ids are made of it. */
  readonly turn: number;
  /** As the request names it. */
  readonly model: string;
  /** What was asked. */
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
  /** Where there is no stream, the answer does not say why it stopped. */
  readonly endWithoutFinish: boolean;
}

/** A call whose arguments are text, as on the wire. */
export interface ReplyCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly pieces: readonly string[];
}

/** Decides what a turn leaves open; pure. */
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

/** About four characters are a token. */
function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** The text in as many pieces of about the same length, or word by word; none is empty, and no character is cut in two. */
function piecesOfText(text: string, count: number | undefined): readonly string[] {
  return count === undefined ? (text.match(/\s*\S+\s?|\s+/gu) ?? []) : evenPieces(text, count);
}

/** Arguments in short pieces that end in the middle of strings, and after each backslash, so in the middle of escapes. */
function piecesOfArguments(text: string): readonly string[] {
  return text.match(/[^\\]{1,7}\\?|\\/gu) ?? [];
}

/** The first of each list, then the second of each, and so on. */
export function interleave<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}
