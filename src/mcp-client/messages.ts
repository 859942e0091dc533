import type { JSONRPCErrorResponse, JSONRPCMessage } from '@modelcontextprotocol/client';
import { isJsonObject, parseJson } from '../core/index.ts';

/** Why there is no answer to a request although the connection stands. */
export class BrokenAnswer {
  readonly kind: 'lost' | 'too-long' | 'nonsense';

  constructor(kind: BrokenAnswer['kind']) {
    this.kind = kind;
  }
}

/** An answer in the place of one that was broken, so that its request ends at once; no server can send its like. */
export function brokenAnswer(id: number | string, kind: BrokenAnswer['kind']): JSONRPCErrorResponse {
  const error = { code: -32_000, message: kind, data: new BrokenAnswer(kind) };
  return { jsonrpc: '2.0', id, error };
}

/** The id of the request that a message answers, from the first and the last bytes of its text. */
export function idOfAnswer(start: string, end: string): number | undefined {
  const [, first] = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,/.exec(start) ?? [];
  const [, last] = /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(end) ?? [];
  const id = first ?? last;
  return id === undefined ? undefined : Number(id);
}

/** The id of the request that a text wants to answer, although it is no message; undefined for anything else. */
export function idOfNonsense(text: string): number | undefined {
  const value = parseJson(text);
  if (value === undefined || !isJsonObject(value) || 'method' in value) return undefined;
  const { id } = value;
  return typeof id === 'number' ? id : undefined;
}

/** The id of a message that wants an answer. */
export function idOfRequest(message: JSONRPCMessage): number | string | undefined {
  return 'method' in message && 'id' in message ? message.id : undefined;
}

/** Why a body was given up. */
export class TooLong extends Error {
  override readonly name = 'TooLong';

  constructor() {
    super('the answer is too long');
  }
}

/** A response whose body fails where one message of it is too long: all of it, or an event of a stream of events. */
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

/** Where the last event that begins in these bytes begins, behind an empty line; -1 where none does. */
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

/** A line without its end; of one that is too long only its first and its last bytes. */
export type Line = { readonly text: string } | { readonly start: string; readonly end: string };

/** Bytes of one message that are read; more is passed over without being kept in memory. */
const longestMessage = 64 * 1024 * 1024;

const endsKept = 1024; // bytes

/** Cuts a stream of bytes into its lines, as they become whole; empty ones are left out. */
export function createMessageLines(longest = longestMessage): (bytes: Uint8Array) => readonly Line[] {
  let parts: Uint8Array[] = [];
  let length = 0;
  let start: string | undefined; // of a line that is too long

  const add = (bytes: Uint8Array): void => {
    parts.push(bytes);
    length += bytes.length;
    if (length <= longest) return;
    const all = Buffer.concat(parts);
    start ??= all.toString('latin1', 0, endsKept);
    parts = [Uint8Array.from(all.subarray(-endsKept))];
  };
  const finish = (): readonly Line[] => {
    const line = Buffer.concat(parts);
    const before = start;
    [parts, length, start] = [[], 0, undefined];
    if (before !== undefined) return [{ start: before, end: line.toString('latin1').slice(-endsKept) }];
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

/** What a server said, as JSON; empty when it nests deeper than can be written. */
export function jsonOf(said: unknown): string {
  try {
    return JSON.stringify(said);
  } catch {
    return ''; // deeper than it can be written
  }
}
