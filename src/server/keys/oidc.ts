import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { AgentError, areRoles, membersOf, reasonOf } from '../../core/index.ts';
import type { TokenVerifier } from './authenticate.ts';
import { isKeyScope, type KeyScope, type Principal } from './principal.ts';

/** How to accept the tokens of an identity provider (OpenID Connect). */
export interface OidcOptions {
  /** The exact `iss` claim of valid tokens, an https address. */
  readonly issuer: string;
  /** The `aud` claim of valid tokens. */
  readonly audience: string | readonly string[];
  /** The address of the provider's public keys. Default: as stated in the issuer's configuration document. */
  readonly jwksUrl?: string;
  /** The accepted signature algorithms, which must be asymmetric. Default: RS256, ES256 and EdDSA. */
  readonly algorithms?: readonly string[];
  /** The names of claims. A path such as `realm_access.roles` names a claim within another. */
  readonly claims?: {
    /** The user's id. Default: `sub`. */
    readonly user?: string;
    /** The user's roles, as a list or as text separated by spaces. Default: `roles`. */
    readonly roles?: string;
    /** The scopes, as a list or as text separated by spaces. Default: `scope`. */
    readonly scopes?: string;
  };
  /** The scopes that every user has. Default: none. */
  readonly scopes?: readonly KeyScope[];
  /** The scopes that users with a role have, by role. */
  readonly roleScopes?: Readonly<Record<string, readonly KeyScope[]>>;
  /** The accepted difference between the clocks, in seconds. Default: 30. */
  readonly clockTolerance?: number;
}

const defaultAlgorithms = ['RS256', 'ES256', 'EdDSA'];
const asymmetric = /^(?:RS|PS|ES)(?:256|384|512)$|^EdDSA$|^Ed25519$/;

/**
 * Creates a verifier for the tokens of an identity provider. The provider's keys are read with the first token
 * and again when a token names an unknown key, at most twice a minute. Throws `usage.bad-settings` for options
 * that would not be safe.
 */
export function createTokenVerifier(options: OidcOptions): TokenVerifier {
  const algorithms = [...(options.algorithms ?? defaultAlgorithms)];
  checkOptions(options, algorithms);
  const { issuer, audience, clockTolerance = 30 } = options;
  let keys: Promise<JWTVerifyGetKey> | undefined;
  const keysNow = (): Promise<JWTVerifyGetKey> => {
    keys ??= openKeys(options).catch((thrown: unknown) => {
      keys = undefined; // The next token tries again.
      throw thrown;
    });
    return keys;
  };

  return {
    async verify(token) {
      const { errors, jwtVerify } = await import('jose');
      try {
        const { payload } = await jwtVerify(token, await keysNow(), {
          issuer,
          audience: [audience].flat(),
          algorithms,
          clockTolerance,
          requiredClaims: ['exp'],
        });
        return principalOf(payload, options);
      } catch (thrown) {
        if (!(thrown instanceof errors.JOSEError) || faultsOfProvider.includes(thrown.code))
          return unreachable(issuer, thrown);
        return refused(thrown instanceof errors.JWTExpired ? 'has expired' : 'is not valid');
      }
    },
  };
}

// The provider did not respond, responded with another status than 200, or with something else than keys.
const faultsOfProvider: readonly string[] = ['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID'];

/** Throws `usage.bad-settings` for options that would accept tokens that others can forge. */
function checkOptions({ issuer, jwksUrl, audience }: OidcOptions, algorithms: readonly string[]): void {
  const refuse = (message: string): never => {
    throw new AgentError('usage.bad-settings', message, { hint: 'Correct the settings of `serve.oidc`.' });
  };
  for (const address of [issuer, ...(jwksUrl === undefined ? [] : [jwksUrl])])
    if (!isSafeAddress(address)) refuse(`The address ${address} of the identity provider must use https.`);
  if ([audience].flat().filter((one) => one.trim() !== '').length === 0)
    refuse('The audience of tokens is missing.');
  const weak = algorithms.find((algorithm) => !asymmetric.test(algorithm));
  if (weak !== undefined || algorithms.length === 0)
    refuse(`Tokens must be signed with an asymmetric algorithm, not with ${weak ?? 'none'}.`);
}

/** Whether an address uses https, or http on this machine. */
function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname))
  );
}

async function openKeys({ issuer, jwksUrl }: OidcOptions): Promise<JWTVerifyGetKey> {
  const { createRemoteJWKSet } = await import('jose');
  const address = jwksUrl ?? (await discoverKeys(issuer));
  return createRemoteJWKSet(new URL(address), { timeoutDuration: 5_000, cooldownDuration: 30_000 });
}

/** Returns the address of the keys from the issuer's configuration document. */
async function discoverKeys(issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(address, { signal: AbortSignal.timeout(5_000), redirect: 'error' });
  if (!response.ok) throw new Error(`${address} responded with status ${response.status}`);
  const { jwks_uri: found, issuer: stated } = membersOf(await response.json());
  if (stated !== issuer) throw new Error(`${address} is about another issuer`);
  if (typeof found !== 'string' || !isSafeAddress(found)) throw new Error(`${address} has no safe jwks_uri`);
  return found;
}

function principalOf(payload: JWTPayload, options: OidcOptions): Principal | AgentError {
  const { claims = {}, scopes = [], roleScopes = {} } = options;
  const user = claimAt(payload, claims.user ?? 'sub');
  if (typeof user !== 'string' || user.trim() === '')
    return refused(`does not state the user in the claim "${claims.user ?? 'sub'}"`);
  const roles = namesAt(payload, claims.roles ?? 'roles');
  if (!areRoles(roles)) return refused(`has too many roles in the claim "${claims.roles ?? 'roles'}"`);
  const granted = [
    ...scopes,
    ...namesAt(payload, claims.scopes ?? 'scope').filter(isKeyScope),
    ...roles.flatMap((role) => (Object.hasOwn(roleScopes, role) ? (roleScopes[role] ?? []) : [])),
  ];
  return {
    keyId: `oidc:${user}`,
    keyName: user,
    user,
    roles,
    scopes: new Set(granted),
    skills: undefined,
    permissions: undefined,
    budget: undefined,
    rate: undefined,
    concurrentRuns: undefined,
    connections: undefined,
  };
}

/** Returns the value of a claim. A name with dots is a path, unless a claim has that exact name. */
function claimAt(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  return name.split('.').reduce<unknown>((value, part) => membersOf(value)[part], payload);
}

function namesAt(payload: JWTPayload, name: string): readonly string[] {
  const value = claimAt(payload, name);
  const list: readonly unknown[] =
    typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  return list.filter((one) => typeof one === 'string').filter((one) => one.trim() !== '');
}

function refused(why: string): AgentError {
  return new AgentError('policy.unauthenticated', `The token of the request ${why}.`, {
    hint: 'Get a new token from your identity provider.',
  });
}

function unreachable(issuer: string, thrown: unknown): AgentError {
  return new AgentError(
    'server.unreachable',
    `Could not read the keys of the identity provider ${issuer}: ${reasonOf(thrown)}.`,
    { hint: 'Check that the server can reach its address, and send the request again.', cause: thrown },
  );
}
