import {
  noUsage,
  pause,
  reasonOf,
  type ErrorData,
  type Json,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type StopReason,
  type ToolCall,
  type Usage,
} from '../core/index.ts';
import { abortedEnd } from './model-end.ts';

/** A scripted model's answer to one request. A string is the text of the answer. */
export type ScriptedTurn = string | ScriptedReply;

/** A scripted answer in detail. Omitted properties have default values. */
export interface ScriptedReply {
  readonly text?: string;
  /** The tool calls. A call without an id gets `call-<turn>-<index>`, where both numbers start at 1. */
  readonly calls?: readonly { readonly name: string; readonly input: Json; readonly id?: string }[];
  /** The stop reason. Defaults to the reason that matches the rest of the answer. */
  readonly reason?: StopReason;
  /** The token usage. Absent counts are estimated at four characters per token. */
  readonly usage?: Partial<Usage>;
  readonly error?: ErrorData;
  /** The number of chunks into which the text is split. Defaults to one. */
  readonly pieces?: number;
  /**
   * The delay before each chunk of text and each call, in milliseconds. Aborting the request ends the
   * delay.
   */
  readonly delayMs?: number;
  /** Whether the response hangs until it is aborted. */
  readonly hang?: boolean;
}

/**
 * The turns in order, or a function that returns a turn for its number. Numbers start at 1. Returning
 * undefined ends the script.
 */
export type Script =
  readonly ScriptedTurn[] | ((request: ModelRequest, turn: number) => ScriptedTurn | undefined);

/** A model that follows its script. */
export interface ScriptedModel extends Model {
  /** The requests that the model received, in order. */
  readonly requests: readonly ModelRequest[];
}

/**
 * Creates a model for tests and demonstrations. Each request receives the next turn, in the order in which
 * requests start. The model never throws.
 */
export function createScriptedModel(
  script: Script,
  { id = 'scripted/model' }: { readonly id?: string } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    id,
    requests,
    stream(request, signal) {
      if (signal.aborted) return onlyAborted(); // Aborted requests do not consume a turn.
      const turn = requests.push({ ...request, messages: [...request.messages] });
      return play(request, replyOf(script, request, turn), turn, signal);
    },
  };
}

function replyOf(script: Script, request: ModelRequest, turn: number): ScriptedReply {
  try {
    const said = typeof script === 'function' ? script(request, turn) : script[turn - 1];
    return typeof said === 'string' ? { text: said } : (said ?? overReply(script, turn));
  } catch (thrown) {
    return failingReply(
      `The script of the model failed on turn ${turn}: ${reasonOf(thrown)}`,
      'Fix the script.',
    );
  }
}

function overReply(script: Script, turn: number): ScriptedReply {
  const turns = typeof script === 'function' ? turn - 1 : script.length;
  return failingReply(
    `The model's script has only ${turns} ${turns === 1 ? 'turn' : 'turns'}, but this is request ${turn}.`,
    'Add a turn to the script, or find out why the model is called again.',
  );
}

function failingReply(message: string, hint: string): ScriptedReply {
  return { error: { code: 'model.unavailable', message, hint }, usage: { inputTokens: 0, outputTokens: 0 } };
}

async function* onlyAborted(): AsyncGenerator<ModelEvent> {
  yield abortedEnd(noUsage);
}

async function* play(
  request: ModelRequest,
  reply: ScriptedReply,
  turn: number,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const said: ModelEvent[] = [];
  for (const event of eventsOf(reply, turn)) {
    if (!(await passes(reply.delayMs ?? 0, signal))) break;
    said.push(event);
    yield event;
  }
  if (reply.hang === true) await passes(forever, signal);
  const usage = usageOf(request, said);
  yield signal.aborted ? abortedEnd(usage) : endOf(reply, usage);
}

function eventsOf({ text = '', pieces = 1, calls = [] }: ScriptedReply, turn: number): readonly ModelEvent[] {
  return [
    ...evenPieces(text, pieces).map((piece) => ({ type: 'text', text: piece }) as const),
    ...calls.map(({ name, input, id = '' }, index): ModelEvent => {
      return { type: 'call', call: { id: id === '' ? `call-${turn}-${index + 1}` : id, name, input } };
    }),
  ];
}

const forever = 2 ** 31 - 1; // The longest delay that a timer supports, in milliseconds.

/** Waits for a number of milliseconds. Resolves to false if the signal aborts first. */
async function passes(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (milliseconds > 0) await pause(milliseconds, signal);
  return !signal.aborted;
}

function endOf(reply: ScriptedReply, usage: Usage): ModelEvent {
  const { error, reason = usualReason(reply) } = reply;
  return {
    type: 'end',
    reason,
    usage: { ...usage, ...reply.usage },
    ...(error === undefined ? {} : { error }),
  };
}

function usualReason({ error, calls = [] }: ScriptedReply): StopReason {
  if (error !== undefined) return 'error';
  return calls.length > 0 ? 'calls' : 'answer';
}

/** Estimates the tokens of the text, the call names and the JSON inputs at four characters per token. */
function usageOf({ system = '', messages }: ModelRequest, said: readonly ModelEvent[]): Usage {
  const asked = messages.flatMap((message) => [
    message.text,
    ...(message.role === 'assistant' ? (message.calls ?? []).map(textOfCall) : []),
  ]);
  const answered = said.map((event) => {
    if (event.type === 'text') return event.text;
    return event.type === 'call' ? textOfCall(event.call) : '';
  });
  return { inputTokens: countTokens([system, ...asked]), outputTokens: countTokens(answered) };
}

function textOfCall({ name, input }: ToolCall): string {
  return name + JSON.stringify(input);
}

function countTokens(texts: readonly string[]): number {
  return Math.ceil(texts.join('').length / 4);
}

/** Splits text into pieces of similar length. No piece is empty. No character is split. */
export function evenPieces(text: string, count: number): readonly string[] {
  const characters = Array.from(text);
  const most = Math.min(characters.length, Math.max(1, Math.floor(count)));
  const offsetAt = (index: number): number => Math.floor((index * characters.length) / most);
  return Array.from({ length: most }, (_, index) =>
    characters.slice(offsetAt(index), offsetAt(index + 1)).join(''),
  );
}
