import { timingSafeEqual } from 'node:crypto';
import { AgentError } from '../../core/index.ts';
import { hashOfSecret, splitKey, type KeyRecord, type KeyStore } from './key-store.ts';
import type { Principal } from './principal.ts';

/** Finds out who sends a request. */
export interface Authenticator {
  /**
   * Returns the principal of a request, or the error to respond with: `policy.unauthenticated` (status 401),
   * `policy.denied` (403) or, if the identity provider does not respond, `server.unreachable` (503). Rejects
   * only if the store fails.
   */
  authenticate(headers: Headers): Promise<Principal | AgentError>;
}

/** Checks the tokens of an identity provider. */
export interface TokenVerifier {
  verify(token: string): Promise<Principal | AgentError>;
}

/** Options for an authenticator. */
export interface AuthenticatorOptions {
  readonly keys: KeyStore;
  /** Accepts tokens with three segments. Without it, they are refused like any other unknown key. */
  readonly tokens?: TokenVerifier;
  /** The time for which keys are used without reading them again, in milliseconds. Default: 1,000. */
  readonly freshMs?: number;
  readonly now?: () => number;
}

/**
 * Creates an authenticator for bearer keys and tokens. A revoked key works for at most `freshMs` longer. An
 * unknown key takes exactly the same steps as a wrong one.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { keys, tokens, freshMs = 1_000, now = Date.now } = options;
  const touched = new Map<string, number>();
  let again = { second: 0, count: 0 };
  let known:
    { readonly readAt: number; readonly records: Promise<ReadonlyMap<string, KeyRecord>> } | undefined;

  const recordsNow = (): Promise<ReadonlyMap<string, KeyRecord>> => {
    if (known !== undefined && now() - known.readAt < freshMs) return known.records;
    const read = { readAt: now(), records: keys.records() };
    known = read;
    read.records.catch(() => {
      if (known === read) known = undefined; // The next request reads the keys again.
    });
    return read.records;
  };

  /** Reads the keys again if none matches, so that a new key works at once. At most 20 times a second. */
  const readAgain = async (): Promise<ReadonlyMap<string, KeyRecord> | undefined> => {
    const second = Math.floor(now() / 1_000);
    if (again.second !== second) again = { second, count: 0 };
    again.count += 1;
    if (again.count > maxAgain) return undefined;
    known = undefined;
    return await recordsNow();
  };

  const check = async (text: string): Promise<Principal | AgentError> => {
    const { id, secret } = splitKey(text) ?? noKey;
    const hash = hashOfSecret(secret);
    const matching = (records: ReadonlyMap<string, KeyRecord> | undefined): KeyRecord | undefined => {
      const record = records?.get(id);
      return isSameHash(hash, record?.hash ?? noHash) ? record : undefined;
    };
    const record = matching(await recordsNow()) ?? matching(await readAgain());
    if (record === undefined) return invalid();
    const at = now();
    if ((record.expiresAt ?? Infinity) <= at) return expired(record);
    if (at - (touched.get(id) ?? -Infinity) >= touchEvery) {
      touched.set(id, at);
      await keys.touch(id, at);
    }
    return principalOf(record);
  };

  return {
    async authenticate(headers) {
      const given = credentialIn(headers);
      if (given === undefined) return missing();
      if (tokens !== undefined && looksLikeToken(given)) return await tokens.verify(given);
      return await check(given);
    },
  };
}

const maxAgain = 20;
const touchEvery = 60_000; // Writing the time of each request would cost a write to the store.
const noKey = { id: '', secret: 'x'.repeat(43) };
const noHash = hashOfSecret(''); // What an unknown key is compared with.

/** Compares two hashes in constant time. */
function isSameHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one, 'hex'), Buffer.from(other, 'hex')];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Returns the credential of a request. A request with two different ones is refused like a wrong key. */
function credentialIn(headers: Headers): string | undefined {
  const [, bearer] = /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '') ?? [];
  const key = headers.get('x-api-key')?.trim();
  const hasOther = headers.has('authorization') && bearer === undefined;
  if (hasOther || (bearer !== undefined && key !== undefined && bearer !== key)) return '';
  return bearer ?? key;
}

function looksLikeToken(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}

function principalOf(record: Partial<KeyRecord> & Pick<KeyRecord, 'hash'>): Principal {
  const { id = '', name = '', user, roles = [], scopes = [], skills, permissions, budget } = record;
  const { rate, concurrentRuns, connections } = record;
  return {
    keyId: id,
    keyName: name,
    user,
    roles,
    scopes: new Set(scopes),
    skills,
    permissions,
    budget,
    rate,
    concurrentRuns,
    connections,
  };
}

const hint = 'Send `Authorization: Bearer <key>`. To create a key: `skilled keys add <name>`';

function missing(): AgentError {
  return new AgentError('policy.unauthenticated', 'The request has no key.', { hint });
}

function invalid(): AgentError {
  return new AgentError('policy.unauthenticated', 'The key of the request is not valid.', { hint });
}

function expired({ name = '' }: Partial<KeyRecord>): AgentError {
  return new AgentError('policy.unauthenticated', `The key "${name}" has expired.`, { hint });
}
