import { isJsonObject, type Json } from './json.ts';
import { optional } from './optional.ts';
import { isSettingValue } from './setting-value.ts';
import type { OAuthClient } from './tool-server.ts';

/** The client that an entry describes, or what is wrong with it: the end of a sentence that begins with `The server "x"`. */
export function readOAuthClient(entry: Json): OAuthClient | string {
  if (!isJsonObject(entry)) return 'has an "oauth" that is not an object';
  const { clientId, clientSecret, refreshToken, scope, issuer, ...rest } = entry as Readonly<
    Record<string, Json | undefined>
  >;
  const [stranger] = Object.keys(rest);
  if (stranger !== undefined) return `has an unknown member "${stranger}" in its "oauth"`;
  if (typeof clientId !== 'string' || clientId.trim() === '') return 'has an "oauth" without a "clientId"';
  if (scope !== undefined && typeof scope !== 'string') return 'has an "oauth" whose "scope" is no text';
  if (issuer === undefined)
    return 'has an "oauth" without an "issuer", the address of whoever gives out its tokens';
  if (typeof issuer !== 'string' || !/^https?:/i.test(issuer) || !URL.canParse(issuer))
    return 'has an "oauth" whose "issuer" is not http or https';
  if (clientSecret === undefined && refreshToken === undefined)
    return 'has an "oauth" with neither a "clientSecret" nor a "refreshToken"';
  if (clientSecret !== undefined && !isSettingValue(clientSecret)) return badSecret('clientSecret');
  if (refreshToken !== undefined && !isSettingValue(refreshToken)) return badSecret('refreshToken');
  return {
    clientId,
    issuer,
    ...optional('clientSecret', clientSecret),
    ...optional('refreshToken', refreshToken),
    ...optional('scope', scope),
  };
}

function badSecret(name: string): string {
  return `has an "oauth" whose "${name}" is neither a text nor {"env": "NAME"}`;
}
