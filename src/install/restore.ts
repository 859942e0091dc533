import { join } from 'node:path';
import { AgentError, createLimiter, optional, type Family } from '../core/index.ts';
import type { BundleFile } from '../files/index.ts';
import type { BlobCache } from './blob-cache.ts';
import { findBundles } from './find-bundles.ts';
import type { LockedSkill, SkillLock } from './lock-file.ts';
import { openSource } from './open-source.ts';
import { parseSource, type SourceDefaults } from './source.ts';
import { stageFiles, type StagedSkill } from './stage.ts';
import type { InstallTarget } from './target.ts';
import { digestAt, type InstallStaging } from './transaction.ts';
import { readBundle, type SourceContext, type SourceTree } from './tree.ts';

/** The skills of a lock that are not installed as it says. */
interface Restorable {
  readonly missing: readonly string[];
  readonly changed: readonly string[];
}

/** Compares the folders of all skills in a lock with their digests. */
export function findRestorable({ skills }: InstallTarget, lock: SkillLock): Restorable {
  const digests = [...lock].map(([name, entry]) => ({ name, entry, now: digestAt(join(skills, name)) }));
  return {
    missing: digests.filter(({ now }) => now === undefined).map(({ name }) => name),
    changed: digests
      .filter(({ now, entry }) => now !== undefined && now !== entry.digest)
      .map(({ name }) => name),
  };
}

/** Everything that is needed to fetch skills in a lock. */
export interface RestoreContext {
  readonly target: InstallTarget;
  readonly staging: InstallStaging;
  readonly blobs: BlobCache;
  readonly families: readonly Family[];
  readonly defaults: SourceDefaults;
  readonly context: SourceContext;
}

const atOnce = 4;

/**
 * Fetches skills exactly as the lock says: from the cache if it has every file, otherwise from the source at
 * the locked version. Sources are opened once and in parallel. Throws `source.changed` if a source has other
 * files for the locked version.
 */
export async function restoreSkills(
  names: readonly string[],
  lock: SkillLock,
  restore: RestoreContext,
): Promise<readonly StagedSkill[]> {
  const entries = names.map((name) => [name, lockedAs(name, lock)] as const);
  const groups = Map.groupBy(entries, ([, entry]) => JSON.stringify([entry.source, entry.resolved]));
  const limiter = createLimiter(atOnce);
  const staged = await Promise.all(
    [...groups.values()].map((group) => limiter.run(() => restoreGroup(group, restore))),
  );
  return staged.flat();
}

function lockedAs(name: string, lock: SkillLock): LockedSkill {
  const entry = lock.get(name);
  if (entry !== undefined) return entry;
  throw new AgentError('skill.not-found', `"${name}" is not in the lock.`, {
    hint: '`skilled verify` shows what is.',
  });
}

async function restoreGroup(
  group: readonly (readonly [string, LockedSkill])[],
  restore: RestoreContext,
): Promise<readonly StagedSkill[]> {
  let tree: SourceTree | undefined;
  try {
    const staged: StagedSkill[] = [];
    for (const [name, entry] of group) {
      const cached = restore.blobs.filesOf(entry);
      tree = cached === undefined ? (tree ?? (await openLocked(name, entry, restore))) : tree;
      const files = cached ?? (await filesIn(tree, entry, restore.families));
      staged.push(stageRestored(name, entry, files, restore));
    }
    return staged;
  } finally {
    await tree?.[Symbol.asyncDispose]();
  }
}

function openLocked(
  name: string,
  { source, resolved }: LockedSkill,
  { defaults, context, target }: RestoreContext,
): Promise<SourceTree> {
  if (source === undefined)
    throw new AgentError('source.changed', `"${name}" has no source, so it cannot be fetched.`, {
      hint: 'Restore its folder from version control.',
    });
  return openSource(parseSource(source, { ...defaults, cwd: target.base }), context, resolved);
}

/** Reads the files of a skill from its source, and drops what the lock does not list. */
async function filesIn(
  tree: SourceTree | undefined,
  { from = '' }: LockedSkill,
  families: readonly Family[],
): Promise<readonly BundleFile[]> {
  if (tree === undefined) return [];
  const found = await findBundles(tree, families, from);
  const skill = found.find((one) => one.folder === from);
  return skill === undefined ? [] : readBundle(tree, skill.folder);
}

function stageRestored(
  name: string,
  entry: LockedSkill,
  files: readonly BundleFile[],
  { target, staging }: RestoreContext,
): StagedSkill {
  const { source, resolved, from, provenance } = entry;
  const origin = {
    ...optional('source', source),
    ...optional('resolved', resolved),
    ...optional('from', from),
    ...optional('provenance', provenance),
  };
  const card = { description: '', ...optional('requires', entry.requires) };
  const staged = stageFiles(target, staging, { name, files, card, issues: [], entry: origin });
  if (staged.entry.digest === entry.digest) return { ...staged, entry };
  throw new AgentError('source.changed', `The source of "${name}" has other files than the lock.`, {
    hint: `Ask the publisher why. To review the current version: \`skilled update ${name} --dry-run\``,
    details: { locked: entry.digest, found: staged.entry.digest },
  });
}
