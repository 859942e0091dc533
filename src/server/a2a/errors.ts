import { isJsonObject, optional, type ErrorData, type JsonObject } from '../../core/index.ts';
import { statusOf } from '../problem.ts';

/** Returns the error of a JSON-RPC response, with the code and the hint of our errors. Pure. */
export function rpcError(error: ErrorData): JsonObject {
  const { code, message, hint, details } = error;
  // A fault of this program can contain paths and other internals of the machine.
  const isOurs = code === 'internal.bug';
  const chosen = isJsonObject(details) ? details['rpc'] : undefined;
  return {
    code: typeof chosen === 'number' ? chosen : numberOf(code),
    message: isOurs ? 'The server failed unexpectedly.' : message,
    data: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: code.toUpperCase().replace(/\W/g, '_'),
        domain: 'skilled.dev',
        metadata: { code, ...(isOurs ? {} : optional('hint', hint)) },
      },
    ],
  };
}

/** Responds with an error that happened before the request was read. */
export function refuseA2a(error: ErrorData, headers: Readonly<Record<string, string>>): Response {
  const status = statusOf(error);
  const body = { jsonrpc: '2.0', id: null, error: rpcError(error) };
  return Response.json(body, {
    status,
    headers: {
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(status === 503 || status === 429 ? { 'retry-after': '5' } : {}),
      ...headers,
    },
  });
}

function numberOf(code: string): number {
  if (code === 'usage.not-found') return -32001;
  return code.startsWith('usage.') || code === 'skill.not-found' ? -32602 : -32603;
}
