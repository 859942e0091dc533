import type { LastingApproval, Pin } from '../core/index.ts';
import {
  noTrust,
  type TrustEntries,
  type TrustEntry,
  type TrustedBundle,
  type TrustedProject,
} from './trust-entries.ts';
import { readTrustFile, stampOf, withTrustLock, writeTrustFile } from './trust-file.ts';

/**
 * A user's lasting trust decisions, each bound to a digest or hash. Queries other than `list` never throw;
 * data that cannot be read is not trusted. Changes reject with `usage.bad-settings` if they cannot be saved.
 */
export interface TrustBook {
  isTrusted(digest: string): boolean;
  hasApproval(digest: string, rule: string): boolean;
  isTrustedProject(folder: string, digest: string): boolean;
  /** Returns the hash recorded for a key, or undefined if there is none or the book cannot be read. */
  pinOf(key: string): string | undefined;
  /**
   * Returns all entries. Throws `usage.bad-settings` if the file is damaged or other users can write to it.
   */
  list(): TrustEntries;
  trust(bundle: Omit<TrustedBundle, 'at'>): Promise<void>;
  /** Trusts a project. For each folder, only the most recently trusted version is trusted. */
  trustProject(project: Omit<TrustedProject, 'at'>): Promise<void>;
  remember(approval: LastingApproval): Promise<void>;
  /** Records a hash for a key, replacing any previous hash. */
  pin(pin: Pin): Promise<void>;
  /** Records a hash for a key that has none. Resolves to the recorded hash. */
  pinFirst(pin: Pin): Promise<string>;
  /**
   * Revokes all matching entries, and approvals that depend only on matching pins. Resolves to the revoked
   * entries.
   */
  revoke(isMeant: (entry: TrustEntry) => boolean): Promise<TrustEntries>;
}

/**
 * Opens a trust book in a file, which any number of processes can share. Without a file, the book is kept
 * only in memory.
 */
export function openTrustBook(file: string | undefined): TrustBook {
  let own = noTrust;
  let cached: { readonly stamp: string | undefined; readonly book: Indexed } | undefined;

  const look = (): Indexed => {
    const stamp = file === undefined ? 'own' : stampOf(file);
    if (cached === undefined || stamp === undefined || stamp !== cached.stamp)
      cached = { stamp, book: indexed(file === undefined ? own : readTrustFile(file)) };
    return cached.book;
  };

  const ask = <Answer>(question: (book: Indexed) => Answer): Answer => {
    try {
      return question(look());
    } catch {
      return question(nothing); // Only `list` reports that the file is damaged.
    }
  };

  const change = async (how: (before: TrustEntries) => TrustEntries): Promise<void> => {
    cached = undefined;
    if (file === undefined) own = how(own);
    else
      await withTrustLock(file, () => {
        const before = readTrustFile(file);
        const after = how(before);
        if (after !== before) writeTrustFile(file, after);
      });
  };

  return {
    isTrusted: (digest) => ask(({ bundles }) => bundles.has(digest)),
    hasApproval: (digest, rule) => ask(({ approvals }) => approvals.has(pair(digest, rule))),
    isTrustedProject: (folder, digest) => ask(({ projects }) => projects.has(pair(folder, digest))),
    pinOf: (key) => ask(({ pins }) => pins.get(key)),
    list: () => look().entries,
    trust: ({ digest, name, dir }) =>
      change((before) => {
        if (before.bundles.some((known) => known.digest === digest)) return before;
        return { ...before, bundles: [...before.bundles, { digest, name, dir, at: Date.now() }] };
      }),
    trustProject: ({ folder, digest }) =>
      change((before) => {
        const others = before.projects.filter((known) => known.folder !== folder);
        return { ...before, projects: [...others, { folder, digest, at: Date.now() }] };
      }),
    remember: (given) =>
      change((before) => {
        const isSame = ({ digest, skill, rule }: LastingApproval): boolean =>
          digest === given.digest && skill === given.skill && rule === given.rule;
        if (before.leave.some(isSame)) return before;
        const { skill, digest, rule, dir } = given;
        return { ...before, leave: [...before.leave, { skill, digest, rule, dir, at: Date.now() }] };
      }),
    pin: (given) => change((before) => withPin(before, given)),
    async pinFirst(given) {
      let known: string | undefined;
      await change((before) => {
        known = before.pins.find(({ key }) => key === given.key)?.hash;
        return known === undefined ? withPin(before, given) : before;
      });
      return known ?? given.hash;
    },
    async revoke(isMeant) {
      let gone = noTrust;
      await change((before) => {
        const isGone = (entry: TrustEntry): boolean => isMeant(entry) || endsWithPin(entry, before, isMeant);
        gone = only(before, isGone);
        const left = only(before, (entry) => !isGone(entry));
        return size(gone) === 0 ? before : left;
      });
      return gone;
    },
  };
}

function withPin(before: TrustEntries, { key, hash, name }: Pin): TrustEntries {
  if (before.pins.some((known) => known.key === key && known.hash === hash)) return before;
  const isReplaced = (entry: TrustEntry): boolean => 'key' in entry && entry.key === key;
  const others = before.pins.filter((known) => !isReplaced(known));
  const leave = before.leave.filter((entry) => !endsWithPin(entry, before, isReplaced));
  return { ...before, leave, pins: [...others, { key, hash, name, at: Date.now() }] };
}

/** Whether an approval must be revoked, because all pins that it depends on are revoked. */
function endsWithPin(
  entry: TrustEntry,
  { pins }: TrustEntries,
  isMeant: (entry: TrustEntry) => boolean,
): boolean {
  if (!('rule' in entry)) return false;
  const known = pins.filter((pin) => isRuleOf(pin, entry.rule));
  return known.length > 0 && known.every(isMeant);
}

interface Indexed {
  readonly entries: TrustEntries;
  readonly bundles: ReadonlySet<string>;
  readonly approvals: ReadonlySet<string>;
  readonly projects: ReadonlySet<string>;
  /** The pinned hashes, keyed by pin key. */
  readonly pins: ReadonlyMap<string, string>;
}

function indexed(entries: TrustEntries): Indexed {
  return {
    entries,
    bundles: new Set(entries.bundles.map(({ digest }) => digest)),
    approvals: new Set(entries.leave.map(({ digest, rule }) => pair(digest, rule))),
    projects: new Set(entries.projects.map(({ folder, digest }) => pair(folder, digest))),
    pins: new Map(entries.pins.map(({ key, hash }) => [key, hash])),
  };
}

const nothing = indexed(noTrust);

function pair(one: string, other: string): string {
  return JSON.stringify([one, other]);
}

function only(
  { bundles, leave, projects, pins }: TrustEntries,
  isMeant: (entry: TrustEntry) => boolean,
): TrustEntries {
  return {
    bundles: bundles.filter(isMeant),
    leave: leave.filter(isMeant),
    projects: projects.filter(isMeant),
    pins: pins.filter(isMeant),
  };
}

function size({ bundles, leave, projects, pins }: TrustEntries): number {
  return bundles.length + leave.length + projects.length + pins.length;
}

/** Returns a rule that allows a tool as long as its definition is unchanged. */
export function pinRule(label: string, pin: Pin): string {
  return `${label}${markOf(pin)}`;
}

/** Whether a rule applies only to this pinned definition. Ignores the label in the rule. */
function isRuleOf(pin: Pin, rule: string): boolean {
  return rule.endsWith(markOf(pin));
}

function markOf({ hash }: Pin): string {
  return `(sha256 ${hash.replace('sha256:', '').slice(0, 12)})`;
}
