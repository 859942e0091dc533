import { AgentError, isAgentError, reasonOf } from '../core/error.ts';
import { createRedactor } from '../core/secrets/redact.ts';
import type { ServerPlace } from '../core/servers/tool-server.ts';
import { visible } from '../core/text.ts';
import { BrokenAnswer } from './broken-answer.ts';
import { TooLong } from './capped-body.ts';
import type { LastWords } from './channel.ts';
import { endedFault } from './ended-fault.ts';
import { httpFault, deniedFault } from './http-fault.ts';
import { networkCode } from './network-code.ts';
import type { Sdk } from './sdk.ts';
import { showPlace } from './shown-place.ts';

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
