import { createHash, randomBytes } from 'node:crypto';
import {
  AgentError,
  areRoles,
  optional,
  parseRule,
  rolesExpected,
  type Json,
  type Store,
} from '../../core/index.ts';
import {
  isKeyScope,
  type DailyBudget,
  type KeyPermissions,
  type KeyScope,
  type RequestRate,
} from './principal.ts';

/** A key as stored, without its secret part. */
export interface KeyRecord {
  /** The public part of the key, which identifies it. */
  readonly id: string;
  readonly name: string;
  /** The SHA-256 hash of the secret part, in hexadecimal. */
  readonly hash: string;
  /** The id of the user who owns the key. */
  readonly user?: string;
  readonly roles: readonly string[];
  readonly scopes: readonly KeyScope[];
  readonly skills?: readonly string[];
  readonly permissions?: KeyPermissions;
  readonly budget?: DailyBudget;
  readonly rate?: RequestRate;
  readonly concurrentRuns?: number;
  readonly connections?: number;
  /** All times are in milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly expiresAt?: number;
}

/** The properties of a new key. */
export type NewKey = Omit<KeyRecord, 'id' | 'hash' | 'createdAt'>;

/** A key with the time of its last use. */
export interface ListedKey extends Omit<KeyRecord, 'hash'> {
  readonly lastUsedAt?: number;
}

/** The keys of a server, in the store that the servers share. */
export interface KeyStore {
  /** Creates a key. Only this result contains the key itself. Throws `usage.bad-input` for invalid properties. */
  add(properties: NewKey): Promise<{ readonly key: string; readonly record: ListedKey }>;
  /** Returns all keys, sorted by name. */
  list(): Promise<readonly ListedKey[]>;
  /** Deletes the key with this id or name. Throws `usage.not-found` if there is none. */
  revoke(idOrName: string): Promise<ListedKey>;
  /** Returns the stored keys by id. */
  records(): Promise<ReadonlyMap<string, KeyRecord>>;
  /** Records that a key was used. */
  touch(id: string, at: number): Promise<void>;
}

const keySpace = 'server/keys';
const nameSpace = 'server/key-names';
const useSpace = 'server/key-use';

/** Opens the keys in a store. */
export function createKeyStore(store: Store, now: () => number = Date.now): KeyStore {
  const records = async (): Promise<ReadonlyMap<string, KeyRecord>> => {
    const stored = await store.entries(keySpace);
    return new Map([...stored].map(([id, value]) => [id, value as unknown as KeyRecord]));
  };
  const list = async (): Promise<readonly ListedKey[]> => {
    const [all, uses] = await Promise.all([records(), store.entries(useSpace)]);
    const listed = [...all.values()].map((record) => ({
      ...withoutHash(record),
      ...optional('lastUsedAt', uses.get(record.id) as number | undefined),
    }));
    return listed.sort((one, other) => (one.name < other.name ? -1 : 1));
  };

  return {
    async add(properties) {
      checkNewKey(properties, now());
      const [id, secret] = [newKeyId(), randomBytes(32).toString('base64url')];
      const record: KeyRecord = { ...properties, id, hash: hashOfSecret(secret), createdAt: now() };
      // The name is reserved first, so that of two keys with the same name only one is created.
      if (!(await store.add(nameSpace, properties.name, id)))
        throw new AgentError('usage.bad-input', `There is already a key named "${properties.name}".`, {
          hint: `Choose another name, or revoke the key: \`skilled keys revoke ${properties.name}\``,
        });
      await store.set(keySpace, id, record as unknown as Json);
      return { key: `sk_${id}_${secret}`, record: withoutHash(record) };
    },
    list,
    async revoke(idOrName) {
      const found = (await list()).find(({ id, name }) => id === idOrName || name === idOrName);
      if (found === undefined)
        throw new AgentError('usage.not-found', `No key has the id or name "${idOrName}".`, {
          hint: 'List the keys: `skilled keys list`',
        });
      await store.delete(keySpace, found.id);
      await store.delete(useSpace, found.id);
      await store.delete(nameSpace, found.name);
      return found;
    },
    records,
    touch: (id, at) => store.set(useSpace, id, at),
  };
}

function withoutHash({ hash: _hash, ...record }: KeyRecord): ListedKey {
  return record;
}

/** The two parts of a key. */
export interface KeyParts {
  readonly id: string;
  readonly secret: string;
}

/** Splits a key into its parts. Returns undefined for any other text. Pure. */
export function splitKey(text: string): KeyParts | undefined {
  const [, id, secret] = /^sk_([a-z0-9]{12})_([\w-]{43})$/.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Returns the stored form of the secret part of a key, which is too random to need a slow hash. Pure. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

const idCharacters = 'abcdefghijkmnpqrstuvwxyz23456789'; // 32 characters that people do not confuse.

function newKeyId(): string {
  return [...randomBytes(12)].map((byte) => idCharacters[byte % idCharacters.length]).join('');
}

/** Throws `usage.bad-input` if a property of a new key is invalid. */
function checkNewKey(properties: NewKey, now: number): void {
  const { name, user, roles, scopes, skills, permissions, budget, rate } = properties;
  const { expiresAt = Infinity } = properties;
  const refuse = (message: string, hint: string): never => {
    throw new AgentError('usage.bad-input', message, { hint });
  };
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u.test(name))
    refuse('The name of a key is not valid.', 'Use at most 64 letters, digits, spaces, dots, @, _ and -.');
  if (user?.trim() === '') refuse('The user of a key is empty.', 'Pass an id, or leave it out.');
  if (!areRoles(roles)) refuse(`The roles of a key must be ${rolesExpected}.`, 'Correct the list of roles.');
  if (scopes.length === 0 || !scopes.every(isKeyScope))
    refuse('A key needs at least one valid scope.', 'For example, pass runs:read and runs:write.');
  if (skills?.some((pattern) => pattern.trim() === '') === true)
    refuse('The list of skills contains an empty name.', 'Remove it.');
  if (!(expiresAt > now)) refuse('The key would already be expired.', 'Choose a later time.');
  for (const rule of [...(permissions?.allow ?? []), ...(permissions?.deny ?? [])])
    if (parseRule(rule) === undefined)
      refuse(`"${rule}" is not a permission rule.`, 'Write a rule such as "Read" or "Bash(git diff *)".');
  const amounts = [
    ...[budget?.cost, budget?.tokens, rate?.perMinute, rate?.burst],
    ...[properties.concurrentRuns, properties.connections],
  ];
  if (amounts.some((amount) => amount !== undefined && !(amount > 0 && amount <= Number.MAX_SAFE_INTEGER)))
    refuse('A limit of a key must be greater than 0.', 'To block a key, revoke it.');
}
