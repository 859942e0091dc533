import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ReadFile } from './read-offer.ts';
import type { OfferedFile } from './skill-offer.ts';
import { originFile } from './skill-paths.ts';

/** Where a mounted bundle comes from. It lies in the bundle, so whoever trusts the files trusts them from there and no other place. */
export interface SkillOrigin {
  readonly server: string;
  readonly place: string;
  readonly identity: string;
  readonly uri: string;
  readonly manifest: string;
}

/** Writes a bundle for its owner alone; every path was checked. */
export function writeCopy(bundle: string, files: readonly ReadFile[], origin: SkillOrigin): void {
  mkdirSync(bundle, { recursive: true, mode: 0o700 });
  for (const { path, bytes } of files) {
    const file = join(bundle, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
  }
  writeFileSync(join(bundle, originFile), textOf(origin), { mode: 0o600, flag: 'wx' });
}

/** Whether a bundle on the shelf is that version, with all of its files, by their sizes. */
export function hasCopy(bundle: string, files: readonly OfferedFile[], origin: SkillOrigin): boolean {
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
export function readCopy(bundle: string, files: readonly OfferedFile[]): readonly ReadFile[] | undefined {
  const read = files.map((file) => ({ ...file, bytes: readFileSync(join(bundle, file.path)) }));
  return read.every(({ bytes, digest }) => `sha256:${hash('sha256', bytes)}` === digest) ? read : undefined;
}

function textOf(origin: SkillOrigin): string {
  return `${JSON.stringify(origin, null, 2)}\n`;
}
