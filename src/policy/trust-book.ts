import type { LastingLeave, Pin } from '../core/index.ts';
import {
  noTrust,
  type TrustEntries,
  type TrustEntry,
  type TrustedBundle,
  type TrustedProject,
} from './trust-entries.ts';
import { readTrustFile, stampOf, withTrustLock, writeTrustFile } from './trust-file.ts';

/** What people trusted, each bound to a digest. Questions never throw: whatever cannot be read is not trusted. Changes reject with `usage.bad-settings` where they cannot be kept. */
export interface TrustBook {
  isTrusted(digest: string): boolean;
  hasLeave(digest: string, rule: string): boolean;
  isTrustedProject(folder: string, digest: string): boolean;
  /** The hash that something is known by; undefined where it is not known, or nobody can say. */
  pinOf(key: string): string | undefined;
  /** Everything in it; throws `usage.bad-settings` where its file is broken or others could have written it. */
  list(): TrustEntries;
  trust(bundle: Omit<TrustedBundle, 'at'>): Promise<void>;
  /** Of each folder only the last version is trusted. */
  trustProject(project: Omit<TrustedProject, 'at'>): Promise<void>;
  remember(leave: LastingLeave): Promise<void>;
  /** From now on it is known by this hash and by no other. */
  pin(pin: Pin): Promise<void>;
  /** The same for what is new; resolves with the hash that it is known by. */
  pinFirst(pin: Pin): Promise<string>;
  /** Takes back every entry that is meant, with the leave that ends with its pin, and resolves with all of them. */
  revoke(isMeant: (entry: TrustEntry) => boolean): Promise<TrustEntries>;
}

/** Opens the book in a file that any number of processes share; without a file it ends with this object. */
export function openTrustBook(file: string | undefined): TrustBook {
  let own = noTrust;
  let seen: { readonly stamp: string | undefined; readonly book: Indexed } | undefined;

  const look = (): Indexed => {
    const stamp = file === undefined ? 'own' : stampOf(file);
    if (seen === undefined || stamp === undefined || stamp !== seen.stamp)
      seen = { stamp, book: indexed(file === undefined ? own : readTrustFile(file)) };
    return seen.book;
  };

  const ask = <Answer>(question: (book: Indexed) => Answer): Answer => {
    try {
      return question(look());
    } catch {
      return question(nothing); // `list` says what is wrong with the file
    }
  };

  const change = async (how: (before: TrustEntries) => TrustEntries): Promise<void> => {
    seen = undefined;
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
    hasLeave: (digest, rule) => ask(({ leave }) => leave.has(pair(digest, rule))),
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
        const isSame = ({ digest, skill, rule }: LastingLeave): boolean =>
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

/** Leave for a tool as it was counts for nothing once nobody knows any more what that was. */
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
  readonly leave: ReadonlySet<string>;
  readonly projects: ReadonlySet<string>;
  /** Hashes by key. */
  readonly pins: ReadonlyMap<string, string>;
}

function indexed(entries: TrustEntries): Indexed {
  return {
    entries,
    bundles: new Set(entries.bundles.map(({ digest }) => digest)),
    leave: new Set(entries.leave.map(({ digest, rule }) => pair(digest, rule))),
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

/** What a person allows for longer than this once: the tool as it is now. */
export function pinRule(label: string, pin: Pin): string {
  return `${label}${markOf(pin)}`;
}

/** Whether a rule is one of those that allow what a pin describes, under whatever label. */
function isRuleOf(pin: Pin, rule: string): boolean {
  return rule.endsWith(markOf(pin));
}

function markOf({ hash }: Pin): string {
  return `(sha256 ${hash.replace('sha256:', '').slice(0, 12)})`;
}
