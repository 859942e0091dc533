import { reasonOf, type Json, type JsonObject } from '../../core/index.ts';
import type { ScriptedReply } from '../../models/scripted.ts';

/** What the script says about a request; never throws. A script that is over or fails is an error that no client tries again. */
export async function readScript(
  script: ServedScript,
  request: ServedRequest,
  turn: number,
): Promise<ServedReply> {
  try {
    const said = typeof script === 'function' ? await script(request, turn) : script[turn - 1];
    if (said === undefined) return refusing(overMessage(script, turn));
    return typeof said === 'string' ? { text: said } : said;
  } catch (thrown) {
    return refusing(`The script of the model server failed in turn ${turn}: ${reasonOf(thrown)}`);
  }
}

function overMessage(script: ServedScript, turn: number): string {
  const turns = typeof script === 'function' ? turn - 1 : script.length;
  return `The script of the model server is over: it has ${turns} ${turns === 1 ? 'turn' : 'turns'}, and this is request ${turn}.`;
}

function refusing(errorMessage: string): ServedReply {
  return { status: 400, errorMessage };
}

/** A protocol that the server speaks. */
export type WireProtocol = 'openai-chat' | 'openai-responses' | 'anthropic-messages';

/** A request as it arrived, whether or not the script was asked about it. */
export interface ServedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty when there was none, or none that is a JSON object. */
  readonly body: JsonObject;
  /** Absent for lists of models and unknown paths. */
  readonly protocol?: WireProtocol;
  /** Milliseconds since 1970, as the two below. */
  readonly arrivedAt: number;
  /** When the whole answer, or what a fault leaves of it, was handed to the connection. */
  readonly endedAt?: number;
  /** When the client left before that. */
  readonly closedAt?: number;
}

/** What the server does when it is asked once; a text is the whole answer. Every turn of a scripted model is one. */
export type ServedTurn = string | ServedReply;

/** The turns in their order, or what decides about each; turns are counted from 1, and undefined is the end of the script. */
export type ServedScript =
  | readonly ServedTurn[]
  | ((request: ServedRequest, turn: number) => ServedTurn | undefined | Promise<ServedTurn | undefined>);

/** A call in an answer. */
export interface ServedCall {
  readonly name: string;
  readonly input?: Json;
  /** Instead of the input, the text of the arguments as it is, which need not be JSON. */
  readonly rawInput?: string;
  /** `call-<turn>-<index>`, both counted from 1, unless given. */
  readonly id?: string;
}

/** A turn in full: what is said, how it is sent, and what goes wrong. */
export interface ServedReply extends Omit<ScriptedReply, 'calls' | 'pieces' | 'delayMs' | 'hang'> {
  readonly calls?: readonly ServedCall[];
  /** What the model thought before it answered. */
  readonly reasoning?: string;
  /** What the provider wants back with the reasoning; made up unless given. */
  readonly signature?: string;
  /** Why the model stopped, in the provider's own word; wins over `reason`. */
  readonly rawReason?: string;

  /** How many pieces reasoning and text come in; one for each word unless given. Arguments come in many anyway. */
  readonly pieces?: number;
  /** Milliseconds before each piece of reasoning, text and arguments. */
  readonly delayMs?: number;
  /** Milliseconds before anything is sent. */
  readonly delayBeforeMs?: number;
  /** Where the bytes are cut; after each event unless given. */
  readonly split?: ServedSplit;
  /** Lines end with CR and LF. */
  readonly crlf?: boolean;
  /** Beside those of the response, or in place of them. */
  readonly headers?: Readonly<Record<string, string>>;

  /** From 400 on, the answer is an error of the provider. */
  readonly status?: number;
  readonly errorMessage?: string;
  /** The provider's own word for the error: `code` at OpenAI, `type` at Anthropic; what fits the status unless given. */
  readonly errorCode?: string;
  /** Sent as it is instead of everything else, such as the HTML of a gateway. */
  readonly rawBody?: string;
  /** A status whose error comes as an event in the stream, and as the whole answer where there is no stream. */
  readonly errorInStream?: number;
  /** Silence until the client leaves: where the answer would end, after the headers, or from the very beginning. */
  readonly hang?: boolean | 'headers' | 'request';
  /** The stream ends cleanly, without what says that the answer is whole. */
  readonly endWithoutFinish?: boolean;
  /** How many pieces of reasoning, text and arguments come before one of the three faults above; all unless given. */
  readonly faultAfter?: number;
  /** The connection breaks in the middle of what follows so many pieces. */
  readonly cutAfter?: number;
}

/** After each event; where it hurts most; after each byte; nowhere; or at these places, in bytes from the beginning. */
export type ServedSplit = 'natural' | 'awkward' | 'bytes' | 'together' | readonly number[];
