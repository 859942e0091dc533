import {
  AgentError,
  isHttpAddress,
  optional,
  variablesIn,
  type HttpServer,
  type ServerEndpoint,
  type SettingValue,
} from '../../core/index.ts';
import { isSecretHeader } from '../redaction.ts';
import type { ServerValues } from './server-values.ts';

/**
 * Resolves the endpoint of an HTTP server. Throws `usage.bad-settings` if credentials would be sent
 * unencrypted.
 */
export function httpEndpoint(
  description: HttpServer,
  { fill, resolve }: ServerValues,
): Omit<ServerEndpoint & { kind: 'http' }, 'name' | 'timeoutMs'> {
  const { name, headers, bearer, oauth } = description;
  const url = fill(description.url).trim();
  if (!isHttpAddress(url)) throw unusable(name, 'has an address that does not use http or https');
  if (!isPrivate(url) && sendsCredentials(description))
    throw unusable(
      name,
      'would receive credentials over an unencrypted connection',
      'Use an https:// address for the server.',
    );
  const own = Object.entries(headers).map(([header, value]): [string, string] => [
    header,
    headerValue(name, header, resolve(value)),
  ]);
  const token = bearer === undefined ? undefined : headerValue(name, 'Authorization', resolve(bearer));
  return {
    kind: 'http',
    url,
    headers: Object.fromEntries(
      token === undefined ? own : [...own.filter(isOther), ['Authorization', `Bearer ${token}`]],
    ),
    ...optional(
      'oauth',
      oauth && {
        clientId: oauth.clientId,
        issuer: oauth.issuer,
        ...optional('clientSecret', oauth.clientSecret && resolve(oauth.clientSecret)),
        ...optional('refreshToken', oauth.refreshToken && resolve(oauth.refreshToken)),
        ...optional('scope', oauth.scope),
      },
    ),
  };
}

function isOther([header]: readonly [string, string]): boolean {
  return header.toLowerCase() !== 'authorization';
}

/** Whether the connection is encrypted or never leaves this machine. */
function isPrivate(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/i.test(hostname);
}

function sendsCredentials({ url, headers, bearer, oauth }: HttpServer): boolean {
  const isSecret = ([name, value]: readonly [string, SettingValue]): boolean =>
    isSecretHeader(name) || typeof value === 'object' || variablesIn(value).length > 0;
  return (
    bearer !== undefined ||
    oauth !== undefined ||
    variablesIn(url.replace(/^[^?]*/, '')).length > 0 ||
    Object.entries(headers).some(isSecret)
  );
}

/** Trims and validates a header's value. Errors never contain the value, because it can be a secret. */
function headerValue(server: string, header: string, value: string): string {
  const text = value.trim();
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header)) throw unusable(server, `has an invalid header name "${header}"`);
  // eslint-disable-next-line no-control-regex -- these are the characters to reject
  if (text === '' || /[\0-\x08\x0a-\x1f\x7f]|[^\0-\xff]/.test(text))
    throw unusable(server, `has a value for the header "${header}" that cannot be sent`);
  return text;
}

function unusable(
  server: string,
  why: string,
  hint = 'Correct the server entry in the settings, or in the file that defines the server.',
): AgentError {
  return new AgentError('usage.bad-settings', `The server "${server}" ${why}.`, { hint });
}
