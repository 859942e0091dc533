import {
  AgentError,
  createRedactor,
  isAgentError,
  optional,
  reasonOf,
  visible,
  type ServerEndpoint,
} from '../core/index.ts';
import { systemCode } from '../files/index.ts';
import { describeEndpoint, type FailureDetails, type Sdk } from './channel.ts';
import { BrokenAnswer, TooLong } from './messages.ts';
import { readNpx } from './npx.ts';

/** Converts a connection error to an error that names the server and contains no secrets. */
export function serverFault(
  thrown: unknown,
  endpoint: ServerEndpoint,
  details: FailureDetails,
  sdk: Sdk,
): AgentError {
  if (isAgentError(thrown)) return ownFault(thrown, endpoint);
  const { SdkError, SdkErrorCode, SdkHttpError, ProtocolError } = sdk;
  const says = (what: string): string => shorten(what, [...secretsOf(endpoint), ...(details.tokens ?? [])]);
  if (thrown instanceof SdkHttpError) return httpFault(thrown.status, endpoint, says(reasonOf(thrown)));
  if (isDenial(thrown, sdk)) return deniedFault(endpoint, says(reasonOf(thrown)));
  if (thrown instanceof ProtocolError) return answerFault(thrown, endpoint, details, says);
  const code = networkCode(thrown);
  if (code !== undefined) return unreachable(endpoint, code);
  if (thrown instanceof SdkError) {
    if (thrown.code === SdkErrorCode.RequestTimeout) return lateFault(endpoint, details);
    if (isLoss(thrown, sdk)) return endedFault(endpoint, details);
    if (thrown.cause instanceof Error) return serverFault(thrown.cause, endpoint, details, sdk);
  }
  if (isLoss(thrown, sdk)) return endedFault(endpoint, details);
  if (thrown instanceof TooLong) return tooLong(endpoint);
  if (isRefusedByFetch(thrown)) return unreachable(endpoint, says(reasonOf(thrown.cause)).replace(/\.$/, ''));
  return failed(endpoint, `gave an unusable answer: ${says(reasonOf(thrown))}`);
}

/** Whether a request failed because the connection was lost. */
export function isLoss(thrown: unknown, { SdkError, SdkErrorCode, ProtocolError }: Sdk): boolean {
  if (thrown instanceof ProtocolError)
    return thrown.data instanceof BrokenAnswer && thrown.data.kind === 'lost';
  if (thrown instanceof SdkError) {
    const { ConnectionClosed, NotConnected, SendFailed } = SdkErrorCode;
    return [ConnectionClosed, NotConnected, SendFailed].includes(thrown.code);
  }
  return networkCode(thrown) !== undefined || (thrown instanceof Error && thrown.message === 'Not connected');
}

/**
 * Whether a server rejected a request because the server no longer knows the session. Such a request has had
 * no effect.
 */
export function isForgotten(thrown: unknown, { SdkHttpError }: Sdk): boolean {
  return thrown instanceof SdkHttpError && (thrown.status === 404 || thrown.status === 400);
}

/**
 * Returns server, sandbox and timeout errors unchanged. Wraps any other error in a `server.unreachable`
 * error.
 */
function ownFault(fault: AgentError, endpoint: ServerEndpoint): AgentError {
  if (/^(?:server|sandbox|limit\.time)/.test(fault.code)) return fault;
  return new AgentError(
    'server.unreachable',
    `The server "${endpoint.name}" failed to start: ${fault.message}`,
    {
      ...(fault.hint === undefined ? {} : { hint: fault.hint }),
      cause: fault,
    },
  );
}

/**
 * Whether `fetch` failed to send a request for a reason that has no network error code, such as an untrusted
 * certificate.
 */
function isRefusedByFetch(thrown: unknown): thrown is TypeError {
  return thrown instanceof TypeError && thrown.message === 'fetch failed' && thrown.cause instanceof Error;
}

function isDenial(thrown: unknown, sdk: Sdk): boolean {
  const { UnauthorizedError, OAuthError, OAuthClientFlowError } = sdk;
  return [UnauthorizedError, OAuthError, OAuthClientFlowError].some((kind) => thrown instanceof kind);
}

function answerFault(
  { code, message, data }: InstanceType<Sdk['ProtocolError']>,
  endpoint: ServerEndpoint,
  details: FailureDetails,
  says: (what: string) => string,
): AgentError {
  if (!(data instanceof BrokenAnswer)) {
    return failed(endpoint, `answered with an error: ${says(message)}`, { code });
  }
  if (data.kind === 'lost') return endedFault(endpoint, details);
  return data.kind === 'too-long'
    ? tooLong(endpoint)
    : failed(endpoint, 'sent a response that is not a protocol message.');
}

function unreachable(endpoint: ServerEndpoint, code: string): AgentError {
  return new AgentError(
    'server.unreachable',
    `The server "${endpoint.name}" cannot be reached at ${describeEndpoint(endpoint)} (${code}).`,
    {
      hint: `Start "${endpoint.name}", or correct its address: \`skilled mcp list\``,
    },
  );
}

function lateFault(endpoint: ServerEndpoint, { noise }: FailureDetails): AgentError {
  const seconds = endpoint.timeoutMs / 1000;
  const what = noise === undefined ? '' : ` It printed something that is not a protocol message: "${noise}"`;
  return new AgentError(
    'limit.time',
    `The server "${endpoint.name}" did not answer within ${seconds} s.${what}`,
    {
      hint: `Ask for less, or raise "timeoutSeconds" for the server "${endpoint.name}" in the settings.`,
    },
  );
}

function tooLong(endpoint: ServerEndpoint): AgentError {
  return failed(
    endpoint,
    'sent a response larger than 64 MB.',
    undefined,
    'Request less data, or only part of it.',
  );
}

function failed(
  endpoint: ServerEndpoint,
  what: string,
  details?: { code: number },
  hint?: string,
): AgentError {
  return new AgentError('server.failed', `The server "${endpoint.name}" ${what}`, {
    ...(details === undefined ? {} : { details }),
    ...(hint === undefined ? {} : { hint }),
  });
}

const longest = 500; // The maximum length of quoted text, in characters.

/** Shortens a text from a server or library to one line, without secrets and invisible characters. */
function shorten(text: string, secrets: readonly string[]): string {
  const clean = createRedactor(secrets)(text.slice(0, 10 * longest));
  const line = visible(clean.replace(/\s+/g, ' ').trim());
  const short = line.length > longest ? `${line.slice(0, longest)}…` : line;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

/**
 * Returns the secrets in an endpoint's settings. For a header such as `Bearer …`, the result also contains
 * the token alone.
 */
function secretsOf(endpoint: ServerEndpoint): readonly string[] {
  if (endpoint.kind === 'stdio') return [];
  const { headers, oauth } = endpoint;
  const values = Object.values(headers);
  const tokens = values.map((value) => /^[A-Za-z]+\s+(\S+)$/.exec(value.trim())?.[1]);
  return [...values, ...tokens, oauth?.clientSecret, oauth?.refreshToken].filter((one) => one !== undefined);
}

/** Creates the error for a server that exited. Its message contains the reason that the server printed. */
function endedFault(endpoint: ServerEndpoint, details: FailureDetails): AgentError {
  const { end, reason } = details;
  const how =
    end === undefined ? 'disconnected' : end.over === undefined ? `ended${codeOf(end)}` : 'was killed';
  const last = reason === undefined ? '.' : `: ${reason}`;
  const message = `The server "${endpoint.name}" ${how}${end?.over === undefined ? last : `: it exceeded its limit for ${resourceNames[end.over]}.`}`;
  return new AgentError('server.unreachable', message, optional('hint', hintFor(endpoint, details)));
}

const resourceNames = { memory: 'memory', processes: 'processes' } as const;

function codeOf({ exitCode }: NonNullable<FailureDetails['end']>): string {
  return exitCode === null ? '' : ` with exit code ${exitCode}`;
}

function hintFor(endpoint: ServerEndpoint, { end, stderr = '' }: FailureDetails): string | undefined {
  if (endpoint.kind === 'http')
    return `The next call connects again. If that fails, check that "${endpoint.name}" is running at ${describeEndpoint(endpoint)}.`;
  if (end?.over !== undefined) return 'Request less data from the server at a time.';
  const npx = endpoint.command === 'npx' ? readNpx(endpoint.args) : undefined;
  if (npx !== undefined && /npm (?:ERR!|error)|npx/i.test(stderr)) {
    return `Run "npm install ${npx.package}" in ${endpoint.near.at(-1) ?? 'the workspace'}: the package is not installed, and a sandbox without network access cannot download it.`;
  }
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|getaddrinfo|fetch failed|name resolution/i.test(stderr)) {
    return `The server can reach only granted hosts. List them under "hosts" for the server "${endpoint.name}".`;
  }
  if (
    /ENOENT|EACCES|EROFS|MODULE_NOT_FOUND|ERR_MODULE|no such file|: not found|permission denied|read-only/i.test(
      stderr,
    )
  ) {
    return `The server can see only granted folders. Set "workspace" or "read" for the server "${endpoint.name}".`;
  }
  return `The next call starts "${endpoint.name}" again. If it ends again, run its command yourself. To see the command: \`skilled mcp list\``;
}

/** Creates the error for a response with an HTTP error status. */
function httpFault(status: number, endpoint: ServerEndpoint, says: string): AgentError {
  if (status === 401 || status === 403) return deniedFault(endpoint, `HTTP ${status}.`);
  if (status >= 300 && status < 400) return movedFault(status, endpoint, says);
  if (status === 404 || status === 405 || status === 410) {
    return new AgentError(
      'server.unreachable',
      `No server was found at ${describeEndpoint(endpoint)} for "${endpoint.name}" (HTTP ${status}).`,
      {
        hint: 'Check the server address: it must be a streamable HTTP endpoint, which often ends in /mcp.',
      },
    );
  }
  if (status === 429 || status >= 500) {
    return new AgentError(
      'server.unreachable',
      `The server "${endpoint.name}" is temporarily unavailable (HTTP ${status}).`,
      {
        hint: 'Try again later.',
      },
    );
  }
  return new AgentError(
    'server.failed',
    `The server "${endpoint.name}" rejected the request (HTTP ${status}): ${says}`,
  );
}

/**
 * Creates the error for a redirect. Redirects are not followed, because the new host would receive the
 * credentials.
 */
function movedFault(status: number, endpoint: ServerEndpoint, says: string): AgentError {
  const [, to = 'another address'] = /(?:Redirect to|try) (\S+)/.exec(says) ?? [];
  return new AgentError(
    'server.unreachable',
    `The server "${endpoint.name}" redirects from ${describeEndpoint(endpoint)} to ${to} (HTTP ${status}). Redirects are not followed.`,
    { hint: 'If the new address is correct, set it as the server address.' },
  );
}

/** Creates the error for rejected credentials. Its hint names the setting to correct. */
function deniedFault(endpoint: ServerEndpoint, says: string): AgentError {
  const hasOAuth = endpoint.kind === 'http' && endpoint.oauth !== undefined;
  return new AgentError('server.denied', `The server "${endpoint.name}" rejected the credentials: ${says}`, {
    hint: hasOAuth
      ? `Fix "oauth" for the server "${endpoint.name}" in the settings.`
      : `Set "bearer", "headers" or "oauth" for the server "${endpoint.name}" in the settings.`,
  });
}

/**
 * Returns the network error code of an error or of one of its causes, such as `ECONNREFUSED`, or undefined if
 * none of them has one.
 */
export function networkCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const code = systemCode(thrown);
  if (code !== undefined && /^(?:E[A-Z]|UND_ERR_)/.test(code) && !code.startsWith('ERA_')) return code;
  const inner = thrown instanceof AggregateError ? (thrown.errors as unknown[])[0] : thrown.cause;
  return networkCode(inner);
}
