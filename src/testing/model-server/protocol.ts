import { isJsonObject, optional, type ErrorCode, type ErrorData, type JsonObject } from '../../core/index.ts';
import type { ModelServerReply } from './reply.ts';
import type { ServedReply, WireProtocol } from './script.ts';

/** How answers and errors look on the wire; pure, and it knows nothing of bytes and connections. */
export interface Protocol {
  readonly name: WireProtocol;
  /** Where requests go, from the root of the server. */
  readonly path: string;
  /** The events of a stream, in their order. */
  streamed(reply: ModelServerReply): readonly WireEvent[];
  /** The same answer in one piece. */
  whole(reply: ModelServerReply): JsonObject;
  errorBody(fault: ModelServerFault): JsonObject;
  /** An error in a stream, after so many events. */
  errorEvent(fault: ModelServerFault, sent: number): WireEvent;
}

/** One server-sent event. */
export interface WireEvent {
  readonly name?: string;
  /** One line. */
  readonly text: string;
  /** A piece of reasoning, text or arguments; or what says that the answer is whole. The rest is frame. */
  readonly part?: 'piece' | 'closing';
}

/** An error of a provider, before a protocol gives it its shape. */
export interface ModelServerFault {
  /** HTTP. */
  readonly status: number;
  readonly message: string;
  /** The provider's own word for it, when the script has one. */
  readonly code?: string;
  /** The conversation does not fit into the model; every provider has its own way to say so. */
  readonly tooLong?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The error that a turn is instead of an answer, or that ends its stream. */
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

/** What the part of a turn that a scripted model has too says about errors. A refusal and a length are none on the wire. */
function scriptedFault({ error, reason }: ServedReply): ModelServerFault | undefined {
  if (error?.code === 'model.refused' || error?.code === 'model.length') return undefined;
  if (error !== undefined) return faultOfError(error);
  if (reason !== 'error' && reason !== 'aborted') return undefined;
  return { status: 500, message: 'The script says that the model failed.' };
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
