import type { JsonObject } from '../../core/json.ts';
import type { Fault } from './fault.ts';
import type { Reply } from './reply.ts';
import type { WireProtocol } from './turn.ts';

/** How answers and errors look on the wire; pure, and it knows nothing of bytes and connections. */
export interface Protocol {
  readonly name: WireProtocol;
  /** Where requests go, from the root of the server. */
  readonly path: string;
  /** The events of a stream, in their order. */
  streamed(reply: Reply): readonly WireEvent[];
  /** The same answer in one piece. */
  whole(reply: Reply): JsonObject;
  errorBody(fault: Fault): JsonObject;
  /** An error in a stream, after so many events. */
  errorEvent(fault: Fault, sent: number): WireEvent;
}

/** One server-sent event. */
export interface WireEvent {
  readonly name?: string;
  /** One line. */
  readonly text: string;
  /** A piece of reasoning, text or arguments; or what says that the answer is whole. The rest is frame. */
  readonly part?: 'piece' | 'closing';
}
