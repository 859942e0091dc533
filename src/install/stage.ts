import { join } from 'node:path';
import {
  AgentError,
  byCodeUnits,
  hasErrors,
  optional,
  type Family,
  type Issue,
  type SkillCard,
} from '../core/index.ts';
import { digestBytes, digestFolder, type BundleFile } from '../files/index.ts';
import { findBundles, type OfferedSkill } from './find-bundles.ts';
import { skillPath, type LockedSkill, type SkillLock } from './lock-file.ts';
import type { SkillSource } from './source.ts';
import type { InstallTarget } from './target.ts';
import { digestAt, type InstallChange, type InstallStaging } from './transaction.ts';
import { readBundle, type SourceTree } from './tree.ts';

/** A skill that was fetched and checked, and waits in a staging folder for the user's decision. */
export interface StagedSkill {
  readonly name: string;
  /** The folder with the new files, outside of every root. */
  readonly dir: string;
  readonly files: readonly BundleFile[];
  readonly entry: LockedSkill;
  readonly card: SkillCard;
  readonly issues: readonly Issue[];
  /** The digest of the folder that it replaces, if there is one. */
  readonly before?: string;
}

/** Finds the skills of a source below the path that the source names. */
export function skillsIn(
  tree: SourceTree,
  source: SkillSource,
  families: readonly Family[],
): Promise<readonly OfferedSkill[]> {
  return findBundles(tree, families, source.kind === 'git' ? (source.path ?? '') : '');
}

/** The skills to install together, and names that the source does not have. */
interface WithRequired {
  readonly skills: readonly OfferedSkill[];
  readonly missing: readonly Issue[];
}

/**
 * Adds the skills of the same source that the chosen ones may call, at any depth. Reports the ones that
 * neither the source nor `isInstalled` has.
 */
export function withRequired(
  chosen: readonly OfferedSkill[],
  all: readonly OfferedSkill[],
  isInstalled: (name: string) => boolean,
): WithRequired {
  const byName = new Map(all.map((skill) => [skill.name, skill]));
  const skills = new Set(chosen);
  const missing: Issue[] = [];
  for (const { name, card } of skills) {
    for (const needed of card.allowedSkills ?? []) {
      const found = byName.get(needed);
      if (found !== undefined) skills.add(found);
      else if (!isInstalled(needed) && !missing.some(({ details }) => details?.['skill'] === needed))
        missing.push(missingSkill(name, needed));
    }
  }
  return { skills: [...skills], missing };
}

function missingSkill(name: string, needed: string): Issue {
  return {
    level: 'warning',
    code: 'install.missing-skill',
    message: `"${name}" calls "${needed}", which neither the source nor this project has.`,
    hint: `Add a source that has it: \`skilled add <source> --skill ${needed}\``,
    details: { skill: needed, neededBy: name },
  };
}

/**
 * Fetches one skill into the staging folder and checks it. Throws `skill.refused` if a file may not be
 * installed, and `skill.invalid` if the descriptor has errors.
 */
export async function stageSkill(
  target: InstallTarget,
  staging: InstallStaging,
  tree: SourceTree,
  skill: OfferedSkill,
  source: string,
): Promise<StagedSkill> {
  const { name, folder, card, issues } = skill;
  if (!skill.isUsable || hasErrors(issues)) {
    const fault = issues.find(({ level }) => level === 'error')?.message ?? 'Its descriptor cannot be read.';
    throw new AgentError('skill.invalid', `"${name}" cannot be installed: ${fault}`, {
      hint: 'Nothing was installed. Tell the publisher, or name other skills with --skill.',
    });
  }
  const files = await readBundle(tree, folder);
  const from = folder === '' ? {} : { from: folder };
  const entry = { source, ...optional('resolved', resolvedOf(tree)), ...from };
  return stageFiles(target, staging, { name, files, card, issues, entry });
}

/** Writes checked files to the staging folder, and computes the entry for the lock. */
export function stageFiles(
  target: InstallTarget,
  staging: InstallStaging,
  {
    name,
    files,
    card,
    issues,
    entry,
  }: Pick<StagedSkill, 'name' | 'files' | 'card' | 'issues'> & {
    readonly entry: Pick<LockedSkill, 'source' | 'resolved' | 'from' | 'provenance'>;
  },
): StagedSkill {
  const dir = staging.write(name, files);
  const before = digestAt(join(target.skills, name));
  return {
    name,
    dir,
    files,
    card,
    issues,
    entry: {
      ...entry,
      path: skillPath(name),
      digest: digestFolder(dir),
      files: Object.fromEntries(files.map(({ path, bytes }) => [path, digestBytes(bytes)])),
      executables: files
        .flatMap(({ path, isProgram }) => (isProgram === true ? [path] : []))
        .sort(byCodeUnits),
      ...optional('requires', card.requires),
    },
    ...optional('before', before),
  };
}

/** Returns the change that installs a staged skill. */
export function changeFor({ name, before, entry }: StagedSkill): InstallChange {
  return { name, ...optional('before', before), entry };
}

/** Whether the folder of a skill has other files than the lock says, or is not in the lock. */
export function isEdited({ name, before, entry }: StagedSkill, lock: SkillLock): boolean {
  return before !== undefined && before !== entry.digest && lock.get(name)?.digest !== before;
}

function resolvedOf({ resolved }: SourceTree): LockedSkill['resolved'] {
  return Object.keys(resolved).length === 0 ? undefined : resolved;
}

/**
 * Throws `source.changed` if a tag or a version that is in the lock now has other content. This must not
 * happen silently, because tags and versions are meant to stay the same.
 */
export function refuseMoved(locked: LockedSkill | undefined, now: LockedSkill, isAccepted: boolean): void {
  const [before, after] = [locked?.resolved, now.resolved];
  if (isAccepted || before === undefined || after === undefined || locked?.source !== now.source) return;
  const isSameTag = before.ref === after.ref && after.ref?.startsWith('refs/tags/') === true;
  if (isSameTag && before.commit !== after.commit)
    throw moved(`The tag ${after.ref.slice(10)}`, before.commit ?? '', after.commit ?? '');
  const isSameVersion = before.version !== undefined && before.version === after.version;
  if (isSameVersion && before.integrity !== after.integrity)
    throw moved(`The version ${before.version}`, before.integrity ?? '', after.integrity ?? '');
}

function moved(what: string, before: string, after: string): AgentError {
  return new AgentError('source.changed', `${what} has other content than when it was installed.`, {
    hint: 'Ask the publisher why. To accept the new content, add --moved.',
    details: { before, after },
  });
}
