import type { JSONRPCErrorResponse, JSONRPCMessage } from '@modelcontextprotocol/client';
import { isJsonObject, parseJson } from '../core/index.ts';

/** The reason why a request did not receive a usable response although the connection is open. */
export class BrokenAnswer {
  readonly kind: 'lost' | 'too-long' | 'nonsense';

  constructor(kind: BrokenAnswer['kind']) {
    this.kind = kind;
  }
}

/**
 * Creates an error response to replace an unusable response, so that the request fails instead of waiting
 * forever.
 */
export function brokenAnswer(id: number | string, kind: BrokenAnswer['kind']): JSONRPCErrorResponse {
  const error = { code: -32_000, message: kind, data: new BrokenAnswer(kind) };
  return { jsonrpc: '2.0', id, error };
}

/** Finds the request id of a response that is too long, given the start and the end of the response. */
export function idOfAnswer(start: string, end: string): number | undefined {
  const [, first] = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,/.exec(start) ?? [];
  const [, last] = /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(end) ?? [];
  const id = first ?? last;
  return id === undefined ? undefined : Number(id);
}

/** Returns the id of the request that an invalid message responds to, or undefined if it has no such id. */
export function idOfNonsense(text: string): number | undefined {
  const value = parseJson(text);
  if (value === undefined || !isJsonObject(value) || 'method' in value) return undefined;
  const { id } = value;
  return typeof id === 'number' ? id : undefined;
}

/** Returns the id of a message if it is a request, otherwise undefined. */
export function idOfRequest(message: JSONRPCMessage): number | string | undefined {
  return 'method' in message && 'id' in message ? message.id : undefined;
}

/** The error that is thrown while reading a response that is too long. */
export class TooLong extends Error {
  override readonly name = 'TooLong';

  constructor() {
    super('the answer is too long');
  }
}

/**
 * Limits the size of each message in a response. A message is one event of an event stream, or the entire
 * body of any other response. If a message is too long, reading the body fails.
 */
export function withCappedBody(
  response: Response,
  onTooLong: () => void,
  longest = longestMessage,
): Response {
  const { body, status, statusText, headers } = response;
  if (body === null || (status >= 300 && status < 400)) return response;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  let length = 0;
  let last = 0;
  const cap = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      const start = isStream ? eventStart(bytes, last) : -1;
      length = start === -1 ? length + bytes.length : bytes.length - start;
      last = bytes.at(-1) ?? last;
      if (length <= longest) {
        controller.enqueue(bytes);
        return;
      }
      onTooLong();
      controller.error(new TooLong());
    },
  });
  return new Response(body.pipeThrough(cap), { status, statusText, headers });
}

/**
 * Returns the offset after the last empty line, which is where the last event starts, or -1 if there is no
 * empty line.
 */
function eventStart(bytes: Uint8Array, last: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts = ['\n\n', '\r\n\r\n', '\r\r'].map((gap) => {
    const at = text.lastIndexOf(gap);
    return at === -1 ? -1 : at + gap.length;
  });
  const found = Math.max(...starts);
  if (found !== -1) return found;
  return last === newline && text[0] === newline ? 1 : -1;
}

/** A line without its line break. Only the start and the end of an overlong line are kept. */
export type Line = { readonly text: string } | { readonly start: string; readonly end: string };

/** The maximum size of a message in bytes. */
const longestMessage = 64 * 1024 * 1024;

const endBytes = 1024; // The number of bytes to keep from the start and the end of an overlong line.

/**
 * Creates a function that collects bytes and returns the lines that are complete after each call. Empty lines
 * are skipped.
 */
export function createMessageLines(longest = longestMessage): (bytes: Uint8Array) => readonly Line[] {
  let parts: Uint8Array[] = [];
  let length = 0;
  let start: string | undefined; // The start of the current line, set only if the line is too long.

  const add = (bytes: Uint8Array): void => {
    parts.push(bytes);
    length += bytes.length;
    if (length <= longest) return;
    const all = Buffer.concat(parts);
    start ??= all.toString('latin1', 0, endBytes);
    parts = [Uint8Array.from(all.subarray(-endBytes))];
  };
  const finish = (): readonly Line[] => {
    const line = Buffer.concat(parts);
    const before = start;
    [parts, length, start] = [[], 0, undefined];
    if (before !== undefined) return [{ start: before, end: line.toString('latin1').slice(-endBytes) }];
    const text = line.toString('utf8');
    return text.trim() === '' ? [] : [{ text }];
  };

  return (bytes) => {
    const lines: Line[] = [];
    let from = 0;
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, from)) {
      add(bytes.subarray(from, at));
      lines.push(...finish());
      from = at + 1;
    }
    if (from < bytes.length) add(bytes.subarray(from));
    return lines;
  };
}

const newline = 10;

/** Serializes a value from a server. Returns an empty string if the value is nested too deeply. */
export function jsonOf(said: unknown): string {
  try {
    return JSON.stringify(said);
  } catch {
    return ''; // The value is nested too deeply.
  }
}
