import { AgentError } from '../core/index.ts';

/** Which hosts and origins a server accepts. */
export interface GuardOptions {
  /** The host names of the server, besides those of this machine. With `*`, every name is accepted. */
  readonly hosts: readonly string[];
  /** Origins of other web pages that may use the server, such as `https://tools.example.com`. */
  readonly origins: readonly string[];
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Throws unless a request names this server as its host and does not come from a web page of another site.
 * Otherwise, a page on the internet could point its own name at this machine and use the server with the
 * browser's help.
 */
export function checkSource(request: Request, { hosts, origins }: GuardOptions): void {
  const { headers, method } = request;
  const host = hostOf(request);
  const name = nameOf(host);
  if (name === undefined || !(hosts.includes('*') || loopback.includes(name) || hosts.includes(name)))
    throw new AgentError('policy.denied', 'This server does not serve the host that the request names.', {
      hint: 'Use the address that the server printed. Add other host names with --allow-host.',
      details: { status: 421 },
    });
  const origin = headers.get('origin');
  if (origin !== null) {
    if (isOwnOrigin(origin, host) || origins.includes(origin)) return;
    throw foreign();
  }
  const site = headers.get('sec-fetch-site');
  const isForeign = site === 'cross-site' || site === 'same-site';
  const isNavigation = method === 'GET' && headers.get('sec-fetch-mode') === 'navigate';
  if (isForeign && !isNavigation) throw foreign();
}

/** Whether a browser sent the request from a page of this server. */
export function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get('origin');
  if (origin !== null) return isOwnOrigin(origin, hostOf(request));
  return request.headers.get('sec-fetch-site') === 'same-origin';
}

/** Returns the headers that let a page of an accepted origin read the response. Empty for other requests. */
export function corsHeaders(
  request: Request,
  { origins }: Pick<GuardOptions, 'origins'>,
): Readonly<Record<string, string>> {
  const origin = request.headers.get('origin');
  if (origin === null || !origins.includes(origin)) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers':
      'authorization, content-type, idempotency-key, last-event-id, mcp-protocol-version, mcp-session-id',
    'access-control-expose-headers':
      'location, mcp-session-id, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, skilled-run',
    'access-control-max-age': '600',
    vary: 'origin',
  };
}

function hostOf(request: Request): string {
  return (request.headers.get('host') ?? new URL(request.url).host).toLowerCase();
}

/** Returns the name in a `Host` header without the port, or undefined if the header is not valid. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(host)?.[1];
}

function isOwnOrigin(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { host: from, protocol } = new URL(origin);
  return (protocol === 'http:' || protocol === 'https:') && from === host;
}

function foreign(): AgentError {
  return new AgentError('policy.denied', 'The request comes from a web page of another site.', {
    hint: 'To let a page use this server, add its origin with --allow-origin.',
  });
}
