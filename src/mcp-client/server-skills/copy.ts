import { hash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { allOrAbort, createLimiter, untilAborted } from '../../core/index.ts';
import { digestBytes, writeBundle } from '../../files/index.ts';
import { beginCopy, type CacheFolder } from './cache.ts';
import type { OfferedFile, ReadFile, OfferedFiles } from './offers.ts';
import { originFile } from './paths.ts';

/** A skill to copy from a server. */
export interface SkillToCopy {
  readonly name: string;
  readonly origin: SkillOrigin;
  readonly files: readonly OfferedFile[];
  /** Downloads the files of the skill. Resolves to a reason instead if the skill must be rejected. */
  readonly read: (signal: AbortSignal) => Promise<OfferedFiles>;
}

/** The result of copying skills: a copy in the cache folder, and the skills that were not copied. */
interface Copy {
  /** The name of the copy in the cache folder. Undefined if no skill was copied. */
  readonly name: string | undefined;
  readonly refused: readonly { readonly skill: SkillToCopy; readonly why: string }[];
}

const atOnce = 4;

/**
 * Copies skills into the cache folder. Keeps the previous copy if it is complete and up to date. Otherwise,
 * builds a new copy that reuses unchanged files.
 */
export async function makeCopy(
  cacheFolder: CacheFolder,
  server: string,
  all: readonly SkillToCopy[],
  before: string | undefined,
  signal: AbortSignal,
): Promise<Copy> {
  const earlier = before === undefined ? undefined : join(cacheFolder.folder, before, server);
  if (earlier !== undefined && isSameCopy(earlier, all)) return { name: before, refused: [] };
  const building = beginCopy(cacheFolder);
  try {
    const refused: { skill: SkillToCopy; why: string }[] = [];
    const copyOne = async (skill: SkillToCopy, until: AbortSignal): Promise<void> => {
      const known = earlier === undefined ? undefined : knownFiles(join(earlier, skill.name), skill);
      const files = known ?? (await skill.read(until));
      if (typeof files === 'string') refused.push({ skill, why: files });
      else if (!until.aborted) writeCopy(join(building, server, skill.name), files, skill.origin);
    };
    const limiter = createLimiter(atOnce);
    const copying = allOrAbort(signal, (until) =>
      all.map((skill) => limiter.run(() => copyOne(skill, until), until)),
    );
    await untilAborted(signal, copying);
    const taken = all.filter((skill) => refused.every((other) => other.skill !== skill));
    return {
      name: taken.length === 0 ? undefined : installCopy(cacheFolder, server, building, taken),
      refused,
    };
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

function isSameCopy(folder: string, all: readonly SkillToCopy[]): boolean {
  if (!existsSync(folder) || readdirSync(folder).length !== all.length) return false;
  return all.every(({ name, files, origin }) => hasCopy(join(folder, name), files, origin));
}

function knownFiles(bundle: string, { files, origin }: SkillToCopy): readonly ReadFile[] | undefined {
  return hasCopy(bundle, files, origin) ? readCopy(bundle, files) : undefined;
}

/**
 * Renames a new copy to its final name. Discards the new copy if another process has already created the same
 * one.
 */
function installCopy(
  cacheFolder: CacheFolder,
  server: string,
  building: string,
  taken: readonly SkillToCopy[],
): string {
  const versions = taken.map(({ name, origin }) => [name, origin.manifest, origin.identity]);
  const name = hash('sha256', JSON.stringify([server, versions])).slice(0, 32);
  const target = join(cacheFolder.folder, name);
  if (isSameCopy(join(target, server), taken)) return name;
  rmSync(target, { recursive: true, force: true });
  try {
    renameSync(building, target);
  } catch (thrown) {
    // Another process may have created the same copy.
    if (!isSameCopy(join(target, server), taken)) throw thrown;
  }
  return name;
}

/**
 * The origin of a mounted bundle. It is stored as a file in the bundle, so trusting the bundle includes
 * trusting its origin.
 */
interface SkillOrigin {
  readonly server: string;
  readonly place: string;
  readonly identity: string;
  readonly uri: string;
  readonly manifest: string;
}

/** Writes a bundle that only its owner can access. The caller must have checked all paths. */
function writeCopy(bundle: string, files: readonly ReadFile[], origin: SkillOrigin): void {
  const origins = { path: originFile, bytes: Buffer.from(textOf(origin)) };
  writeBundle(bundle, [...files, origins]);
}

/** Whether a cached bundle has this origin and contains all files. Compares only the sizes of the files. */
function hasCopy(bundle: string, files: readonly OfferedFile[], origin: SkillOrigin): boolean {
  try {
    if (readFileSync(join(bundle, originFile), 'utf8') !== textOf(origin)) return false;
    return files.every(({ path, size }) => {
      const stats = lstatSync(join(bundle, path));
      return stats.isFile() && stats.size === size;
    });
  } catch {
    return false; // The bundle does not exist or is incomplete.
  }
}

/** Reads the files of a cached bundle. Returns undefined if a file does not match its digest. */
function readCopy(bundle: string, files: readonly OfferedFile[]): readonly ReadFile[] | undefined {
  const read = files.map((file) => ({ ...file, bytes: readFileSync(join(bundle, file.path)) }));
  return read.every(({ bytes, digest }) => digestBytes(bytes) === digest) ? read : undefined;
}

function textOf(origin: SkillOrigin): string {
  return `${JSON.stringify(origin, null, 2)}\n`;
}
