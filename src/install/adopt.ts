import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  isJsonObject,
  isSkillName,
  optional,
  parseJson,
  type Family,
  type JsonObject,
} from '../core/index.ts';
import { digestFolder } from '../files/index.ts';
import { findBundles } from './find-bundles.ts';
import { openLocal } from './local.ts';
import { skillPath, type LockedSkill, type SkillLock } from './lock-file.ts';
import type { InstallTarget } from './target.ts';
import { executablesAt, filesAt } from './verify.ts';

/** The lock of the `skills` program, from which origins are taken over. */
export const otherLockName = 'skills-lock.json';

/**
 * Returns the entries for skills that are installed but not in the lock. Their origin comes from the lock of
 * the `skills` program, if that lists them.
 */
export async function adoptSkills(
  target: InstallTarget,
  lock: SkillLock,
  families: readonly Family[],
): Promise<ReadonlyMap<string, LockedSkill>> {
  const known = readOtherLock(join(target.base, otherLockName));
  const found = new Map<string, LockedSkill>();
  for (const name of foldersIn(target.skills)) {
    if (lock.has(name)) continue;
    const dir = join(target.skills, name);
    await using tree = await openLocal(dir);
    const [skill] = (await findBundles(tree, families)).filter(({ folder }) => folder === '');
    if (skill === undefined) continue;
    const files = filesAt(dir);
    const provenance = known.get(name);
    found.set(name, {
      path: skillPath(name),
      digest: digestFolder(dir),
      files,
      executables: executablesAt(dir, Object.keys(files)),
      ...optional('requires', skill.card.requires),
      ...optional('source', sourceIn(provenance)),
      ...optional('provenance', provenance),
    });
  }
  return found;
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isSkillName(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** Reads the entries of the other lock. Returns none if it is missing or damaged. */
function readOtherLock(file: string): ReadonlyMap<string, JsonObject> {
  try {
    const json = parseJson(readFileSync(file, 'utf8'));
    const skills = isJsonObject(json) ? json['skills'] : undefined;
    if (!isJsonObject(skills)) return new Map();
    return new Map(
      Object.entries(skills).flatMap(([name, entry]) => (isJsonObject(entry) ? [[name, entry]] : [])),
    );
  } catch {
    return new Map(); // Without the file, the origins are unknown.
  }
}

/** Returns the source of an entry if it names a repository. */
function sourceIn(entry: JsonObject | undefined): string | undefined {
  const source = entry?.['source'];
  return typeof source === 'string' && /^[\w.-]+\/[\w.-]+$/.test(source) ? source : undefined;
}
