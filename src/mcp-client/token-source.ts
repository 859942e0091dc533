import type { AuthProvider, FetchLike, OAuthClientProvider, OAuthTokens } from '@modelcontextprotocol/client';
import { AgentError, isJsonObject, optional, parseJson } from '../core/index.ts';
import type { HttpEndpoint } from './channel.ts';

type OAuth = NonNullable<HttpEndpoint['oauth']>;

/** Tokens for one server. */
interface TokenSource extends AuthProvider {
  /** Those that were given out lately. */
  given(): readonly string[];
}

/** Gets tokens for a server where it wants them, by a refresh token or the client's own credentials; they are kept in memory only. */
export async function createTokenSource(server: string, oauth: OAuth): Promise<TokenSource> {
  const { auth, extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  let tokens: OAuthTokens | undefined;
  let given: readonly string[] = [];
  const provider = createProvider(oauth, {
    read: () => tokens,
    save(next) {
      tokens = next;
      given = [next.access_token, next.refresh_token ?? '', ...given].filter(isLong).slice(0, mostGiven);
    },
  });
  return {
    given: () => given,
    token: async () => tokens?.access_token,
    async onUnauthorized({ response, serverUrl, fetchFn }) {
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
      await auth(provider, {
        serverUrl,
        fetchFn: refusing(server, fetchFn),
        ...optional('resourceMetadataUrl', resourceMetadataUrl),
        ...optional('scope', oauth.scope ?? scope),
      });
    },
  };
}

const mostGiven = 20;

/** A shorter one would be found in ordinary words. */
function isLong(token: string): boolean {
  return token.length >= 6;
}

interface Kept {
  read(): OAuthTokens | undefined;
  save(tokens: OAuthTokens): void;
}

function createProvider(oauth: OAuth, kept: Kept): OAuthClientProvider {
  const { clientId, clientSecret, scope } = oauth;
  let { refreshToken } = oauth;
  const nobody = (): never => {
    throw new AgentError('server.denied', 'Nobody is there to sign in.');
  };
  return {
    redirectUrl: undefined,
    clientMetadata: {
      client_name: 'skilled',
      redirect_uris: [],
      grant_types: [refreshToken === undefined ? 'client_credentials' : 'refresh_token'],
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
      ...optional('scope', scope),
    },
    clientInformation: () => ({
      client_id: clientId,
      ...optional('client_secret', clientSecret),
      issuer: oauth.issuer, // else the server would choose who gets the secrets
    }),
    tokens: () => kept.read(),
    saveTokens(tokens) {
      refreshToken = tokens.refresh_token ?? refreshToken; // a server may give out another one each time
      kept.save(tokens);
    },
    prepareTokenRequest(wanted) {
      if (refreshToken === undefined) {
        return new URLSearchParams({
          grant_type: 'client_credentials',
          ...(wanted ? { scope: wanted } : {}),
        });
      }
      return new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
    },
    redirectToAuthorization: nobody,
    saveCodeVerifier: nobody,
    codeVerifier: nobody,
  };
}

/** A refusal of the token is an end: nobody is there to sign in anew. */
function refusing(server: string, ask: FetchLike): FetchLike {
  return async (to, init) => {
    const response = await ask(to, init);
    if (init?.method !== 'POST' || response.ok) return response;
    const answer = parseJson((await response.text()).slice(0, 10_000));
    const code = isJsonObject(answer ?? null) ? (answer as { error?: unknown }).error : undefined;
    const reason = typeof code === 'string' ? code.slice(0, 100) : `HTTP ${response.status}`;
    throw new AgentError(
      'server.denied',
      `${new URL(to).host} gives no token for the server "${server}": ${reason}.`,
      {
        hint: `Correct "oauth" of the server "${server}" in settings: its clientId, its clientSecret or its refreshToken.`,
      },
    );
  };
}
