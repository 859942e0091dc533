import type { LastingLeave } from '../core/policy.ts';
import {
  noTrust,
  type KeptLeave,
  type TrustedBundle,
  type TrustedProject,
  type TrustEntries,
} from './trust-entries.ts';
import { readTrustFile, stampOf, withTrustLock, writeTrustFile } from './trust-file.ts';

/** What people trusted, each bound to a digest. Questions never throw: whatever cannot be read is not trusted. Changes reject with `usage.bad-settings` where they cannot be kept. */
export interface TrustBook {
  isTrusted(digest: string): boolean;
  hasLeave(digest: string, rule: string): boolean;
  isTrustedProject(folder: string, digest: string): boolean;
  /** Everything in it; throws `usage.bad-settings` where its file is broken or others could have written it. */
  list(): TrustEntries;
  trust(bundle: Omit<TrustedBundle, 'at'>): Promise<void>;
  /** Of each folder only the last version is trusted. */
  trustProject(project: Omit<TrustedProject, 'at'>): Promise<void>;
  remember(leave: LastingLeave): Promise<void>;
  /** Takes back every entry that is meant, and resolves with them. */
  revoke(isMeant: (entry: TrustedBundle | KeptLeave | TrustedProject) => boolean): Promise<TrustEntries>;
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

  const ask = (question: (book: Indexed) => boolean): boolean => {
    try {
      return question(look());
    } catch {
      return false; // `list` says what is wrong with the file
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
    async revoke(isMeant) {
      let gone = noTrust;
      await change((before) => {
        gone = only(before, isMeant);
        const left = only(before, (entry) => !isMeant(entry));
        return size(gone) === 0 ? before : left;
      });
      return gone;
    },
  };
}

interface Indexed {
  readonly entries: TrustEntries;
  readonly bundles: ReadonlySet<string>;
  readonly leave: ReadonlySet<string>;
  readonly projects: ReadonlySet<string>;
}

function indexed(entries: TrustEntries): Indexed {
  return {
    entries,
    bundles: new Set(entries.bundles.map(({ digest }) => digest)),
    leave: new Set(entries.leave.map(({ digest, rule }) => pair(digest, rule))),
    projects: new Set(entries.projects.map(({ folder, digest }) => pair(folder, digest))),
  };
}

function pair(one: string, other: string): string {
  return JSON.stringify([one, other]);
}

function only(
  { bundles, leave, projects }: TrustEntries,
  isMeant: (entry: TrustedBundle | KeptLeave | TrustedProject) => boolean,
): TrustEntries {
  return {
    bundles: bundles.filter(isMeant),
    leave: leave.filter(isMeant),
    projects: projects.filter(isMeant),
  };
}

function size({ bundles, leave, projects }: TrustEntries): number {
  return bundles.length + leave.length + projects.length;
}
