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

/** What a scripted model does when it is asked once; a text is its whole answer. */
export type ScriptedTurn = string | ScriptedReply;

/** A turn in full; what is absent is left out or made up. */
export interface ScriptedReply {
  readonly text?: string;
  /** An id that is absent is `call-<turn>-<index>`, both counted from 1. */
  readonly calls?: readonly { readonly name: string; readonly input: Json; readonly id?: string }[];
  /** What fits the rest of the turn, unless given. */
  readonly reason?: StopReason;
  /** What is absent is counted: four characters are a token. */
  readonly usage?: Partial<Usage>;
  readonly error?: ErrorData;
  /** How many pieces the text comes in; one unless given. */
  readonly pieces?: number;
  /** Milliseconds before each piece of text and each call; the signal ends them at once. */
  readonly delayMs?: number;
  /** Waits for the signal where the answer would end. */
  readonly hang?: boolean;
}

/** The turns in their order, or what decides about each; turns are counted from 1, and undefined is the end of the script. */
export type Script =
  readonly ScriptedTurn[] | ((request: ModelRequest, turn: number) => ScriptedTurn | undefined);

/** A model that does what its script says. */
export interface ScriptedModel extends Model {
  /** What it was asked, in order. */
  readonly requests: readonly ModelRequest[];
}

/** A model for tests and demonstrations; the turns go to the streams in the order in which these begin, and it never throws. */
export function createScriptedModel(
  script: Script,
  { id = 'scripted/model' }: { readonly id?: string } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    id,
    requests,
    stream(request, signal) {
      if (signal.aborted) return onlyAborted(); // it is not even asked
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
      `The script of the model failed in turn ${turn}: ${reasonOf(thrown)}`,
      'Mend the script.',
    );
  }
}

function overReply(script: Script, turn: number): ScriptedReply {
  const turns = typeof script === 'function' ? turn - 1 : script.length;
  return failingReply(
    `The script of the model is over: it has ${turns} ${turns === 1 ? 'turn' : 'turns'}, and this is request ${turn}.`,
    'Add a turn to the script, or find out why the model is asked again.',
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

const forever = 2 ** 31 - 1; // milliseconds, the most that a timer can wait

/** Whether the time passed without the signal. */
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

/** Texts, and calls as name and JSON of the input, at four characters a token. */
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

/** A text in as many pieces of about the same length; none of them is empty, and no character is cut in two. */
export function evenPieces(text: string, count: number): readonly string[] {
  const characters = Array.from(text);
  const most = Math.min(characters.length, Math.max(1, Math.floor(count)));
  const placeOf = (index: number): number => Math.floor((index * characters.length) / most);
  return Array.from({ length: most }, (_, index) =>
    characters.slice(placeOf(index), placeOf(index + 1)).join(''),
  );
}
