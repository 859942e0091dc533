import {
  AgentError,
  isHttpAddress,
  optional,
  variablesIn,
  type HttpServer,
  type ServerPlace,
  type SettingValue,
} from '../../core/index.ts';
import { isSecretHeader } from '../redaction.ts';
import type { ServerValues } from './server-values.ts';

/** Where a server over HTTP is reached; throws `usage.bad-settings` where credentials would go over an open line. */
export function httpPlace(
  description: HttpServer,
  { fill, resolve }: ServerValues,
): Omit<ServerPlace & { kind: 'http' }, 'name' | 'timeoutMs'> {
  const { name, headers, bearer, oauth } = description;
  const url = fill(description.url).trim();
  if (!isHttpAddress(url)) throw unusable(name, 'has an address that is not http or https');
  if (!isPrivate(url) && sendsCredentials(description))
    throw unusable(name, 'would get credentials over an open line', 'Use its https:// address.');
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

/** Whether nobody on the way can read what is sent. */
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

/** The value is not shown: it may be a secret. */
function headerValue(server: string, header: string, value: string): string {
  const text = value.trim();
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header))
    throw unusable(server, `has a header "${header}" that is no name`);
  // eslint-disable-next-line no-control-regex -- these are what must not be there
  if (text === '' || /[\0-\x08\x0a-\x1f\x7f]|[^\0-\xff]/.test(text))
    throw unusable(server, `has a value for the header "${header}" that cannot be sent`);
  return text;
}

function unusable(
  server: string,
  why: string,
  hint = 'Correct its entry in the settings, or in the file that describes it.',
): AgentError {
  return new AgentError('usage.bad-settings', `The server "${server}" ${why}.`, { hint });
}
