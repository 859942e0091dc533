import {
  AgentError,
  createRedactor,
  isAgentError,
  optional,
  reasonOf,
  visible,
  type ServerPlace,
} from '../core/index.ts';
import { systemCode } from '../files/index.ts';
import { showPlace, type LastWords, type Sdk } from './channel.ts';
import { BrokenAnswer, TooLong } from './messages.ts';
import { readNpx } from './npx.ts';

/** What went wrong with a server, from whatever was thrown on the way; it names the server and holds nothing secret. */
export function serverFault(thrown: unknown, place: ServerPlace, words: LastWords, sdk: Sdk): AgentError {
  if (isAgentError(thrown)) return ownFault(thrown, place);
  const { SdkError, SdkErrorCode, SdkHttpError, ProtocolError } = sdk;
  const says = (what: string): string => shorten(what, [...secretsOf(place), ...(words.tokens ?? [])]);
  if (thrown instanceof SdkHttpError) return httpFault(thrown.status, place, says(reasonOf(thrown)));
  if (isDenial(thrown, sdk)) return deniedFault(place, says(reasonOf(thrown)));
  if (thrown instanceof ProtocolError) return answerFault(thrown, place, words, says);
  const code = networkCode(thrown);
  if (code !== undefined) return unreachable(place, code);
  if (thrown instanceof SdkError) {
    if (thrown.code === SdkErrorCode.RequestTimeout) return lateFault(place, words);
    if (isLoss(thrown, sdk)) return endedFault(place, words);
    if (thrown.cause instanceof Error) return serverFault(thrown.cause, place, words, sdk);
  }
  if (isLoss(thrown, sdk)) return endedFault(place, words);
  if (thrown instanceof TooLong) return tooLong(place);
  if (isRefusedByFetch(thrown)) return unreachable(place, says(reasonOf(thrown.cause)).replace(/\.$/, ''));
  return failed(place, `gave an answer that cannot be used: ${says(reasonOf(thrown))}`);
}

/** Whether the connection is gone with which something was asked. */
export function isLoss(thrown: unknown, { SdkError, SdkErrorCode, ProtocolError }: Sdk): boolean {
  if (thrown instanceof ProtocolError)
    return thrown.data instanceof BrokenAnswer && thrown.data.kind === 'lost';
  if (thrown instanceof SdkError) {
    const { ConnectionClosed, NotConnected, SendFailed } = SdkErrorCode;
    return [ConnectionClosed, NotConnected, SendFailed].includes(thrown.code);
  }
  return networkCode(thrown) !== undefined || (thrown instanceof Error && thrown.message === 'Not connected');
}

/** Whether a server refused a request because it does not know the session that it belongs to, so that nothing was done. */
export function isForgotten(thrown: unknown, { SdkHttpError }: Sdk): boolean {
  return thrown instanceof SdkHttpError && (thrown.status === 404 || thrown.status === 400);
}

/** A sandbox that is missing says so itself; a program that could not be started is a server that is not there. */
function ownFault(fault: AgentError, place: ServerPlace): AgentError {
  if (/^(?:server|sandbox|limit\.time)/.test(fault.code)) return fault;
  return new AgentError(
    'server.unreachable',
    `The server "${place.name}" was not started: ${fault.message}`,
    {
      ...(fault.hint === undefined ? {} : { hint: fault.hint }),
      cause: fault,
    },
  );
}

/** A request that never left or was broken off at once, as for a certificate that nobody knows: it has no code of the network. */
function isRefusedByFetch(thrown: unknown): thrown is TypeError {
  return thrown instanceof TypeError && thrown.message === 'fetch failed' && thrown.cause instanceof Error;
}

function isDenial(thrown: unknown, sdk: Sdk): boolean {
  const { UnauthorizedError, OAuthError, OAuthClientFlowError } = sdk;
  return [UnauthorizedError, OAuthError, OAuthClientFlowError].some((kind) => thrown instanceof kind);
}

function answerFault(
  { code, message, data }: InstanceType<Sdk['ProtocolError']>,
  place: ServerPlace,
  words: LastWords,
  says: (what: string) => string,
): AgentError {
  if (!(data instanceof BrokenAnswer)) {
    return failed(place, `answered with an error: ${says(message)}`, { code });
  }
  if (data.kind === 'lost') return endedFault(place, words);
  return data.kind === 'too-long'
    ? tooLong(place)
    : failed(place, 'gave an answer that is no message of the protocol.');
}

function unreachable(place: ServerPlace, code: string): AgentError {
  return new AgentError(
    'server.unreachable',
    `The server "${place.name}" cannot be reached at ${showPlace(place)} (${code}).`,
    {
      hint: 'Check its address, and whether it runs.',
    },
  );
}

function lateFault(place: ServerPlace, { noise }: LastWords): AgentError {
  const seconds = place.timeoutMs / 1000;
  const what = noise === undefined ? '' : ` It printed what is no message: "${noise}"`;
  return new AgentError('limit.time', `The server "${place.name}" gave no answer in ${seconds} s.${what}`, {
    hint: 'Ask for less, or raise "timeoutSeconds" of the server.',
  });
}

function tooLong(place: ServerPlace): AgentError {
  return failed(place, 'gave an answer of more than 64 MB.', undefined, 'Ask for less, or for a part of it.');
}

function failed(place: ServerPlace, what: string, details?: { code: number }, hint?: string): AgentError {
  return new AgentError('server.failed', `The server "${place.name}" ${what}`, {
    ...(details === undefined ? {} : { details }),
    ...(hint === undefined ? {} : { hint }),
  });
}

const longest = 500; // characters

/** A text of a server or of a library as one short line in which nothing hides, without anything secret. */
function shorten(text: string, secrets: readonly string[]): string {
  const clean = createRedactor(secrets)(text.slice(0, 10 * longest));
  const line = visible(clean.replace(/\s+/g, ' ').trim());
  const short = line.length > longest ? `${line.slice(0, longest)}…` : line;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

/** A header is often a secret with a word before it, as in `Bearer …`, and a server may tell either. */
function secretsOf(place: ServerPlace): readonly string[] {
  if (place.kind === 'stdio') return [];
  const { headers, oauth } = place;
  const values = Object.values(headers);
  const tokens = values.map((value) => /^[A-Za-z]+\s+(\S+)$/.exec(value.trim())?.[1]);
  return [...values, ...tokens, oauth?.clientSecret, oauth?.refreshToken].filter((one) => one !== undefined);
}

/** That a server went away, with the reason that it printed. */
function endedFault(place: ServerPlace, words: LastWords): AgentError {
  const { end, reason } = words;
  const how = end === undefined ? 'went away' : end.over === undefined ? `ended${codeOf(end)}` : 'was killed';
  const last = reason === undefined ? '.' : `: ${reason}`;
  const message = `The server "${place.name}" ${how}${end?.over === undefined ? last : `: it used more ${wordFor[end.over]} than it may.`}`;
  return new AgentError('server.unreachable', message, optional('hint', hintFor(place, words)));
}

const wordFor = { memory: 'memory', processes: 'processes' } as const;

function codeOf({ exitCode }: NonNullable<LastWords['end']>): string {
  return exitCode === null ? '' : ` with exit code ${exitCode}`;
}

function hintFor(place: ServerPlace, { end, stderr = '' }: LastWords): string | undefined {
  if (place.kind === 'http') return 'Try again; it is reached anew.';
  if (end?.over !== undefined) return 'Ask it for less at a time.';
  const npx = place.command === 'npx' ? readNpx(place.args) : undefined;
  if (npx !== undefined && /npm (?:ERR!|error)|npx/i.test(stderr)) {
    return `Run "npm install ${npx.package}" in ${place.near.at(-1) ?? 'the workspace'}: it is not installed, and nothing is fetched in a sandbox without network.`;
  }
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|getaddrinfo|fetch failed|name resolution/i.test(stderr)) {
    return `It reaches no host that was not granted: name them in "hosts" of the server "${place.name}".`;
  }
  if (
    /ENOENT|EACCES|EROFS|MODULE_NOT_FOUND|ERR_MODULE|no such file|: not found|permission denied|read-only/i.test(
      stderr,
    )
  ) {
    return `It sees no folder that was not granted: set "workspace" or "read" of the server "${place.name}".`;
  }
  return 'Start its command by hand to see what it says.';
}

/** What the status of an answer means. */
function httpFault(status: number, place: ServerPlace, says: string): AgentError {
  if (status === 401 || status === 403) return deniedFault(place, `HTTP ${status}.`);
  if (status >= 300 && status < 400) return movedFault(status, place, says);
  if (status === 404 || status === 405 || status === 410) {
    return new AgentError(
      'server.unreachable',
      `There is no server at ${showPlace(place)} for "${place.name}" (HTTP ${status}).`,
      {
        hint: 'Check its address: it is the one that speaks streamable HTTP, often ending in /mcp.',
      },
    );
  }
  if (status === 429 || status >= 500) {
    return new AgentError(
      'server.unreachable',
      `The server "${place.name}" cannot answer now (HTTP ${status}).`,
      {
        hint: 'Try again later.',
      },
    );
  }
  return new AgentError(
    'server.failed',
    `The server "${place.name}" refused the request (HTTP ${status}): ${says}`,
  );
}

/** That a server is somewhere else: what it gets of ours goes to no address that nobody wrote down. */
function movedFault(status: number, place: ServerPlace, says: string): AgentError {
  const [, to = 'another address'] = /(?:Redirect to|try) (\S+)/.exec(says) ?? [];
  return new AgentError(
    'server.unreachable',
    `The server "${place.name}" sends whoever asks at ${showPlace(place)} to ${to} (HTTP ${status}), which is not followed.`,
    { hint: 'If that is the right place, write it as the address of the server.' },
  );
}

/** That a server wants other credentials, and where they are set. */
function deniedFault(place: ServerPlace, says: string): AgentError {
  const hasOAuth = place.kind === 'http' && place.oauth !== undefined;
  return new AgentError('server.denied', `The server "${place.name}" wants other credentials: ${says}`, {
    hint: hasOAuth
      ? `Correct "oauth" of the server "${place.name}" in settings.`
      : `Set "bearer", "headers" or "oauth" of the server "${place.name}" where it is described.`,
  });
}

/** The short name of what the network did, such as `ECONNREFUSED`, from whatever it is wrapped in; undefined for other failures. */
export function networkCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const code = systemCode(thrown);
  if (code !== undefined && /^(?:E[A-Z]|UND_ERR_)/.test(code) && !code.startsWith('ERA_')) return code;
  const inner = thrown instanceof AggregateError ? (thrown.errors as unknown[])[0] : thrown.cause;
  return networkCode(inner);
}
