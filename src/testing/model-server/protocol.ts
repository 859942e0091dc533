import { isJsonObject, optional, type ErrorCode, type ErrorData, type JsonObject } from '../../core/index.ts';
import type { ModelServerReply } from './reply.ts';
import type { ServedReply, WireProtocol } from './script.ts';

/** The wire format of answers and errors. Pure, and independent of connections and byte encoding. */
export interface Protocol {
  readonly name: WireProtocol;
  /** The request path, relative to the server's root. */
  readonly path: string;
  /** Returns the events of a streamed answer, in order. */
  streamed(reply: ModelServerReply): readonly WireEvent[];
  /** Returns the answer as a single body, without streaming. */
  whole(reply: ModelServerReply): JsonObject;
  errorBody(fault: ModelServerFault): JsonObject;
  /** Returns the event for an error in a stream, after `sent` other events. */
  errorEvent(fault: ModelServerFault, sent: number): WireEvent;
}

/** One server-sent event. */
export interface WireEvent {
  readonly name?: string;
  /** The data of the event, on a single line. */
  readonly text: string;
  /**
   * Marks an event that carries a piece of reasoning, text or arguments, or a closing event that completes
   * the answer. Absent for all other events.
   */
  readonly part?: 'piece' | 'closing';
}

/** A provider error, independent of the protocol. */
export interface ModelServerFault {
  /** The HTTP status. */
  readonly status: number;
  readonly message: string;
  /** The provider's own error code, if the script sets one. */
  readonly code?: string;
  /** Whether the conversation is too long for the model; every provider reports this differently. */
  readonly tooLong?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the error that replaces or ends a turn's answer, or undefined if there is none. */
export function faultOf(reply: ServedReply): ModelServerFault | undefined {
  const { errorInStream, status = 200, errorMessage, errorCode } = reply;
  const usual = scriptedFault(reply);
  const stated = errorInStream ?? (status >= 400 ? status : usual?.status);
  if (stated === undefined) return undefined;
  return {
    message: `The script answers with status ${stated}.`,
    ...usual,
    ...optional('message', errorMessage),
    ...optional('code', errorCode),
    status: stated,
  };
}

/**
 * Returns the error set by the fields that scripted models also have. Refusals and length limits are not sent
 * as errors.
 */
function scriptedFault({ error, reason }: ServedReply): ModelServerFault | undefined {
  if (error?.code === 'model.refused' || error?.code === 'model.length') return undefined;
  if (error !== undefined) return faultOfError(error);
  if (reason !== 'error' && reason !== 'aborted') return undefined;
  return { status: 500, message: 'The model failed, as scripted.' };
}

const statuses: Partial<Readonly<Record<ErrorCode, number>>> = {
  'model.denied': 401,
  'model.not-found': 404,
  'model.busy': 429,
  'model.timeout': 504,
  'model.too-long': 400,
  'model.unavailable': 503,
};

function faultOfError({ code, message, details }: ErrorData): ModelServerFault {
  const wait = isJsonObject(details) ? details['retryAfterMs'] : undefined;
  return {
    status: statuses[code] ?? 500,
    message,
    ...(code === 'model.too-long' ? { tooLong: true } : {}),
    ...(typeof wait === 'number'
      ? { headers: { 'retry-after': String(Math.ceil(wait / 1000)), 'retry-after-ms': String(wait) } }
      : {}),
  };
}
