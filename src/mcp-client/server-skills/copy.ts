import { hash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { allOrAbort, createLimiter, untilAborted } from '../../core/index.ts';
import { beginCopy, type CacheFolder } from './cache.ts';
import type { OfferedFile, ReadFile, OfferedFiles } from './offers.ts';
import { originFile } from './paths.ts';

/** A skill that shall be in a copy. */
export interface SkillToCopy {
  readonly name: string;
  readonly origin: SkillOrigin;
  readonly files: readonly OfferedFile[];
  /** Gets its files from the server, or what is wrong with them. */
  readonly read: (signal: AbortSignal) => Promise<OfferedFiles>;
}

/** A copy on a shelf, and what is not in it. */
interface Copy {
  /** Its name on the shelf; none where nothing could be taken. */
  readonly name: string | undefined;
  readonly refused: readonly { readonly wanted: SkillToCopy; readonly why: string }[];
}

const atOnce = 4;

/**
 * The skills as one folder on the shelf. What the copy before has is taken from there, and where it has all, it stays;
 * another one is built beside it and moved into place when it is whole.
 */
export async function makeCopy(
  shelf: CacheFolder,
  server: string,
  all: readonly SkillToCopy[],
  before: string | undefined,
  signal: AbortSignal,
): Promise<Copy> {
  const earlier = before === undefined ? undefined : join(shelf.folder, before, server);
  if (earlier !== undefined && isSameCopy(earlier, all)) return { name: before, refused: [] };
  const building = beginCopy(shelf);
  try {
    const refused: { wanted: SkillToCopy; why: string }[] = [];
    const copyOne = async (wanted: SkillToCopy, until: AbortSignal): Promise<void> => {
      const known = earlier === undefined ? undefined : knownFiles(join(earlier, wanted.name), wanted);
      const files = known ?? (await wanted.read(until));
      if (typeof files === 'string') refused.push({ wanted, why: files });
      else if (!until.aborted) writeCopy(join(building, server, wanted.name), files, wanted.origin);
    };
    const limiter = createLimiter(atOnce);
    const copying = allOrAbort(signal, (until) =>
      all.map((wanted) => limiter.run(() => copyOne(wanted, until), until)),
    );
    await untilAborted(signal, copying);
    const taken = all.filter((wanted) => refused.every((other) => other.wanted !== wanted));
    return { name: taken.length === 0 ? undefined : putInPlace(shelf, server, building, taken), refused };
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

/** Another process may have made the same one meanwhile; one that is not whole any more is replaced. */
function putInPlace(
  shelf: CacheFolder,
  server: string,
  building: string,
  taken: readonly SkillToCopy[],
): string {
  const versions = taken.map(({ name, origin }) => [name, origin.manifest, origin.identity]);
  const name = hash('sha256', JSON.stringify([server, versions])).slice(0, 32);
  const place = join(shelf.folder, name);
  if (isSameCopy(join(place, server), taken)) return name;
  rmSync(place, { recursive: true, force: true });
  try {
    renameSync(building, place);
  } catch (thrown) {
    if (!isSameCopy(join(place, server), taken)) throw thrown; // else another process was faster
  }
  return name;
}

/** Where a mounted bundle comes from. It lies in the bundle, so whoever trusts the files trusts them from there and no other place. */
interface SkillOrigin {
  readonly server: string;
  readonly place: string;
  readonly identity: string;
  readonly uri: string;
  readonly manifest: string;
}

/** Writes a bundle for its owner alone; every path was checked. */
function writeCopy(bundle: string, files: readonly ReadFile[], origin: SkillOrigin): void {
  mkdirSync(bundle, { recursive: true, mode: 0o700 });
  for (const { path, bytes } of files) {
    const file = join(bundle, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
  }
  writeFileSync(join(bundle, originFile), textOf(origin), { mode: 0o600, flag: 'wx' });
}

/** Whether a bundle on the shelf is that version, with all of its files, by their sizes. */
function hasCopy(bundle: string, files: readonly OfferedFile[], origin: SkillOrigin): boolean {
  try {
    if (readFileSync(join(bundle, originFile), 'utf8') !== textOf(origin)) return false;
    return files.every(({ path, size }) => {
      const stats = lstatSync(join(bundle, path));
      return stats.isFile() && stats.size === size;
    });
  } catch {
    return false; // it was never there, or is not whole any more
  }
}

/** The files of a bundle on the shelf with their bytes; undefined where one is not what it was. */
function readCopy(bundle: string, files: readonly OfferedFile[]): readonly ReadFile[] | undefined {
  const read = files.map((file) => ({ ...file, bytes: readFileSync(join(bundle, file.path)) }));
  return read.every(({ bytes, digest }) => `sha256:${hash('sha256', bytes)}` === digest) ? read : undefined;
}

function textOf(origin: SkillOrigin): string {
  return `${JSON.stringify(origin, null, 2)}\n`;
}
