import { isJsonObject, optional, type ErrorCode, type ErrorData, type JsonObject } from '../../core/index.ts';
import type { ModelServerReply } from './reply.ts';
import type { ServedReply, WireProtocol } from './script.ts';

/**
 * A provider's protocol, which builds the events and bodies of responses. Its functions are pure; encoding
 * and sending happen elsewhere.
 */
export interface Protocol {
  readonly name: WireProtocol;
  /** The path of requests, relative to the server's root. */
  readonly path: string;
  /** Returns the events of a streamed answer, in order. */
  streamed(reply: ModelServerReply): readonly WireEvent[];
  /** Returns the body of an answer that is sent without streaming. */
  whole(reply: ModelServerReply): JsonObject;
  errorBody(fault: ModelServerFault): JsonObject;
  /** Returns the event that reports an error in a stream. `sent` is the number of events before it. */
  errorEvent(fault: ModelServerFault, sent: number): WireEvent;
}

/** One server-sent event. */
export interface WireEvent {
  readonly name?: string;
  /** The data of the event, on a single line. */
  readonly text: string;
  /**
   * Set to `piece` if the event carries reasoning, text or arguments, and to `closing` if it completes the
   * answer. Absent for other events.
   */
  readonly part?: 'piece' | 'closing';
}

/** A provider's error, before it is converted to a protocol's format. */
export interface ModelServerFault {
  /** The HTTP status. */
  readonly status: number;
  readonly message: string;
  /** The provider's error code, if the script sets one. */
  readonly code?: string;
  /**
   * Whether the error reports that the conversation is too long for the model. Each provider reports this
   * differently.
   */
  readonly tooLong?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns the error that a turn sends instead of its answer or after it, or undefined if the turn sends no
 * error.
 */
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
 * Returns the error of a turn that uses the `error` or `reason` field of a scripted model. Refusals and
 * length limits are not errors.
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
