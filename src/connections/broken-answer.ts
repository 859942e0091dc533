import type { JSONRPCErrorResponse, JSONRPCMessage } from '@modelcontextprotocol/client';
import { isJsonObject, parseJson } from '../core/json.ts';

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
