import { AgentError, deadline, settlesBefore } from '../core/index.ts';

/** Limits for the body of a request. */
export interface BodyLimits {
  /** The maximum size in bytes. */
  readonly bytes: number;
  /** The maximum nesting depth of JSON. */
  readonly depth: number;
  /** The time in which the body must arrive, in milliseconds. */
  readonly time: number;
}

/** The default limits. A picture of 5 MB fits in a body. */
export const defaultBodyLimits: BodyLimits = { bytes: 8 << 20, depth: 64, time: 30_000 };

/**
 * Reads the body of a request. Throws `limit.too-large` for a body that is too long or too deep, before it is
 * parsed, and `usage.bad-input` for one that is compressed, late or not UTF-8.
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<string> {
  const { headers, body } = request;
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding !== 'identity')
    throw new AgentError('usage.bad-input', 'The body of the request is compressed.', {
      hint: 'Send it without Content-Encoding.',
      details: { status: 415 },
    });
  if (Number(headers.get('content-length') ?? 0) > limits.bytes) throw tooLarge(limits);
  if (body === null) return '';
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  using limit = deadline(limits.time);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const read = reader.read();
    if (!(await settlesBefore(limit.signal, read))) {
      reader.cancel().catch(() => undefined); // The client has already gone.
      throw new AgentError('usage.bad-input', 'The body of the request did not arrive in time.', {
        hint: `Send it within ${limits.time / 1_000} seconds.`,
        details: { status: 408 },
      });
    }
    const { done, value } = await read;
    if (done) break;
    size += value.byteLength;
    if (size > limits.bytes) {
      reader.cancel().catch(() => undefined); // The client may have gone.
      throw tooLarge(limits);
    }
    chunks.push(value);
  }
  const text = decode(chunks);
  if (depthOf(text, limits.depth) > limits.depth)
    throw new AgentError('limit.too-large', `The body is nested more than ${limits.depth} levels deep.`, {
      hint: 'Send a flatter document.',
    });
  return text;
}

function tooLarge({ bytes }: BodyLimits): AgentError {
  return new AgentError('limit.too-large', `The body is larger than ${bytes} bytes.`, {
    hint: 'Send less, or raise the limit of the server with --max-body.',
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(chunks: readonly Uint8Array[]): string {
  try {
    return utf8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  } catch {
    throw new AgentError('usage.bad-input', 'The body of the request is not UTF-8.', {
      hint: 'Send JSON as UTF-8.',
    });
  }
}

/** Returns the nesting depth of brackets outside strings. Stops counting above `most`. Pure. */
function depthOf(text: string, most: number): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isText) {
      if (code === backslash) index += 1;
      else if (code === quote) isText = false;
    } else if (code === quote) isText = true;
    else if (code === openBrace || code === openBracket) {
      depth += 1;
      deepest = Math.max(deepest, depth);
      if (deepest > most) return deepest;
    } else if (code === closeBrace || code === closeBracket) depth -= 1;
  }
  return deepest;
}

const [quote, backslash] = [0x22, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
