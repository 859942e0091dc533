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

/** Everything that goes over the connection, when, and how it ends. */
export interface ResponsePlan {
  /** Undefined: nothing is sent at all, not even this. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly Chunk[];
  /** Cleanly, with a broken connection, or not at all. */
  readonly ending: 'end' | 'cut' | 'hang';
  /** Milliseconds before anything. */
  readonly delayBefore: number;
  /** Milliseconds before each piece. */
  readonly delay: number;
}

/** Writes a turn down for a protocol; pure. */
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

/** The error of a provider in the shape of the protocol. */
export function buildError(
  protocol: Protocol,
  fault: ModelServerFault,
  served: ServedReply = {},
): ResponsePlan {
  const headers = { ...fault.headers, ...served.headers };
  return buildWhole({ ...served, headers }, fault.status, JSON.stringify(protocol.errorBody(fault)));
}

/** The error of a scripted model comes after what it says; so it does here. */
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

/** A body in one piece. */
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
