import {
  cutAfterPieces,
  encodeEvent,
  splitFrames,
  untilClosing,
  untilPiece,
  type Chunk,
  type WireFrame,
} from './frames.ts';
import { faultOf, type ModelServerFault, type Protocol, type WireEvent } from './protocol.ts';
import { buildReply } from './reply.ts';
import type { ServedReply, ServedRequest } from './script.ts';

/** The plan for sending one response: its content, its timing and how it ends. */
export interface ResponsePlan {
  /** The HTTP status, or undefined if the server does not respond at all. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly Chunk[];
  /**
   * The end of the response: `end` completes it, `cut` breaks the connection, and `hang` keeps the connection
   * open.
   */
  readonly ending: 'end' | 'cut' | 'hang';
  /** The delay before the response starts, in milliseconds. */
  readonly delayBefore: number;
  /** The delay before each piece of the answer, in milliseconds. */
  readonly delay: number;
}

/** Builds the plan for sending one turn of the script. Pure. */
export function buildPlan(
  protocol: Protocol,
  served: ServedReply,
  turn: number,
  request: ServedRequest,
): ResponsePlan {
  const { status = 200, rawBody } = served;
  if (rawBody !== undefined) return buildWhole(served, status, rawBody);
  const fault = faultOf(served);
  const isStream = request.body['stream'] === true;
  if (fault !== undefined && !(isStream && comesMidway(served))) return buildError(protocol, fault, served);
  const reply = buildReply(served, turn, request.body);
  if (!isStream) return buildWhole(served, status, JSON.stringify(protocol.whole(reply)));
  return buildStream(served, status, applyFault(protocol, protocol.streamed(reply), served, fault));
}

/** Builds the plan for sending an error response in the provider's format. */
export function buildError(
  protocol: Protocol,
  fault: ModelServerFault,
  served: ServedReply = {},
): ResponsePlan {
  const headers = { ...fault.headers, ...served.headers };
  return buildWhole({ ...served, headers }, fault.status, JSON.stringify(protocol.errorBody(fault)));
}

/**
 * Whether the error is sent as an event in the stream, after the turn's content. A scripted model behaves in
 * the same way.
 */
function comesMidway({ errorInStream, status = 200, text = '', calls = [] }: ServedReply): boolean {
  return errorInStream !== undefined || (status < 400 && (text !== '' || calls.length > 0));
}

function applyFault(
  protocol: Protocol,
  events: readonly WireEvent[],
  { faultAfter, endWithoutFinish, hang }: ServedReply,
  fault: ModelServerFault | undefined,
): readonly WireEvent[] {
  if (fault === undefined && endWithoutFinish !== true && hang !== true) return events;
  const sent = faultAfter === undefined ? untilClosing(events) : untilPiece(events, faultAfter);
  return fault === undefined ? sent : [...sent, protocol.errorEvent(fault, sent.length)];
}

function buildStream(served: ServedReply, status: number, events: readonly WireEvent[]): ResponsePlan {
  const lineEnd = served.crlf === true ? '\r\n' : '\n';
  const comment = served.split === 'awkward' ? 'still there' : '';
  const frames = events.map((event) => encodeEvent(event, lineEnd, comment));
  return buildSending(served, status, 'text/event-stream; charset=utf-8', frames);
}

/** Builds the plan for sending a complete body in a single write. */
export function buildWhole(served: ServedReply, status: number, body: string): ResponsePlan {
  return buildSending(served, status, 'application/json', [{ bytes: Buffer.from(body), part: 'piece' }]);
}

function buildSending(
  served: ServedReply,
  status: number,
  type: string,
  frames: readonly WireFrame[],
): ResponsePlan {
  const { hang = false, cutAfter, split = 'natural', headers, delayBeforeMs = 0, delayMs = 0 } = served;
  const sent = cutAfter === undefined ? frames : cutAfterPieces(frames, cutAfter);
  const unhindered = cutAfter === undefined ? 'end' : 'cut';
  return {
    status: hang === 'request' ? undefined : status,
    headers: { 'content-type': type, ...headers },
    chunks: typeof hang === 'string' ? [] : splitFrames(sent, split),
    ending: hang === false ? unhindered : 'hang',
    delayBefore: delayBeforeMs,
    delay: delayMs,
  };
}
