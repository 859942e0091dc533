import { isJsonObject, optional, toErrorData, type ErrorData, type Json } from '../core/index.ts';

/** The body of an error response: problem details as in RFC 9457, with the code and the hint of our errors. */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly hint?: string;
  readonly details?: Json;
}

/** Converts any thrown value to a response with problem details. */
export function problemResponse(thrown: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const error = toErrorData(thrown);
  const status = statusOf(error);
  return new Response(JSON.stringify(problemOf(error, status)), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(status === 503 || status === 429 ? { 'retry-after': '5' } : {}),
      ...headers,
    },
  });
}

function problemOf(error: ErrorData, status: number): ProblemDetails {
  const { code, message, hint, details } = error;
  // A fault of this program can contain paths and other internals of the machine.
  const isOurs = code === 'internal.bug';
  return {
    type: `https://skilled.dev/errors#${code}`,
    title: titles[status] ?? 'Error',
    status,
    detail: isOurs ? 'The server failed unexpectedly.' : message,
    code,
    ...(isOurs ? {} : { ...optional('hint', hint), ...optional('details', details) }),
  };
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Key required',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  413: 'Too large',
  415: 'Unsupported media type',
  421: 'Wrong host',
  422: 'Skill cannot be used',
  429: 'Too many requests',
  499: 'Cancelled',
  500: 'Server error',
  502: 'Model or server failed',
  503: 'Unavailable',
};

const exact: Readonly<Record<string, number>> = {
  'usage.not-found': 404,
  'usage.conflict': 409,
  'usage.cancelled': 499,
  'skill.not-found': 404,
  'skill.conflict': 409,
  'skill.changed': 409,
  'policy.unauthenticated': 401,
  'policy.expired': 409,
  'policy.waiting': 409,
  'limit.too-large': 413,
  'limit.busy': 503,
  'sandbox.store': 503,
  'server.unreachable': 503,
  'internal.claim-lost': 409,
};

const byPrefix: Readonly<Record<string, number>> = {
  usage: 400,
  skill: 422,
  policy: 403,
  limit: 429,
  model: 502,
  server: 502,
};

/** Returns the status for an error: the one in its details if the server chose it, or the one of its code. */
export function statusOf({ code, details }: Pick<ErrorData, 'code' | 'details'>): number {
  const { status: chosen, of: whose } = isJsonObject(details) ? details : {};
  if (typeof chosen === 'number' && titles[chosen] !== undefined) return chosen;
  if (code === 'limit.busy' && whose === 'key') return 429;
  return exact[code] ?? byPrefix[code.slice(0, code.indexOf('.'))] ?? 500;
}
