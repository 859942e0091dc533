import type { AuthProvider, FetchLike, OAuthClientProvider, OAuthTokens } from '@modelcontextprotocol/client';
import { AgentError, isJsonObject, optional, parseJson } from '../core/index.ts';
import type { HttpEndpoint } from './channel.ts';

type OAuth = NonNullable<HttpEndpoint['oauth']>;

/** A source of access tokens for one server. */
interface TokenSource extends AuthProvider {
  /** Returns the tokens that the authorization server has recently issued. */
  given(): readonly string[];
}

/**
 * Creates a source that obtains tokens on demand with either a refresh token or client credentials. The
 * tokens are stored only in memory.
 */
export async function createTokenSource(server: string, oauth: OAuth): Promise<TokenSource> {
  const { auth, extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  let tokens: OAuthTokens | undefined;
  let given: readonly string[] = [];
  const provider = createProvider(oauth, {
    read: () => tokens,
    save(next) {
      tokens = next;
      given = [next.access_token, next.refresh_token ?? '', ...given].filter(isLong).slice(0, maxGiven);
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

const maxGiven = 20;

/** Whether a token is long enough to be redacted. Shorter tokens could occur in ordinary text. */
function isLong(token: string): boolean {
  return token.length >= 6;
}

interface TokenStore {
  read(): OAuthTokens | undefined;
  save(tokens: OAuthTokens): void;
}

function createProvider(oauth: OAuth, store: TokenStore): OAuthClientProvider {
  const { clientId, clientSecret, scope } = oauth;
  let { refreshToken } = oauth;
  const nobody = (): never => {
    throw new AgentError('server.denied', 'Interactive sign-in is not supported.');
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
      issuer: oauth.issuer, // otherwise the server would choose who receives the secrets
    }),
    tokens: () => store.read(),
    saveTokens(tokens) {
      // The authorization server may issue a new refresh token with every response.
      refreshToken = tokens.refresh_token ?? refreshToken;
      store.save(tokens);
    },
    prepareTokenRequest(requestedScope) {
      if (refreshToken === undefined) {
        return new URLSearchParams({
          grant_type: 'client_credentials',
          ...(requestedScope ? { scope: requestedScope } : {}),
        });
      }
      return new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
    },
    redirectToAuthorization: nobody,
    saveCodeVerifier: nobody,
    codeVerifier: nobody,
  };
}

/**
 * Wraps `fetch` to throw `server.denied` if a token request is rejected, because then only an interactive
 * sign-in could help.
 */
function refusing(server: string, ask: FetchLike): FetchLike {
  return async (to, init) => {
    const response = await ask(to, init);
    if (init?.method !== 'POST' || response.ok) return response;
    const answer = parseJson((await response.text()).slice(0, 10_000));
    const code = isJsonObject(answer ?? null) ? (answer as { error?: unknown }).error : undefined;
    const reason = typeof code === 'string' ? code.slice(0, 100) : `HTTP ${response.status}`;
    throw new AgentError(
      'server.denied',
      `${new URL(to).host} issued no token for the server "${server}": ${reason}.`,
      {
        hint: `Fix the clientId, clientSecret or refreshToken in "oauth" for the server "${server}".`,
      },
    );
  };
}
