import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestBytes, type BundleFile } from '../files/index.ts';
import type { LockedSkill } from './lock-file.ts';

/** Files of installed skills, by digest. Skills in a lock can be installed again from it without a network. */
export interface BlobCache {
  /** Returns the files of a locked skill, or undefined if one of them is not in the cache. */
  filesOf(skill: LockedSkill): readonly BundleFile[] | undefined;
  /** Keeps files. Never throws, because the cache is not needed. */
  keep(files: readonly BundleFile[]): void;
}

/** Opens the cache in a private folder. Without a folder, nothing is kept. */
export function openBlobCache(folder: string | undefined): BlobCache {
  if (folder === undefined) return { filesOf: () => undefined, keep: () => undefined };
  const pathOf = (digest: string): string => join(folder, digest.slice(7, 9), digest.slice(9));
  return {
    filesOf({ files, executables }) {
      const found = Object.entries(files).flatMap(([path, digest]): BundleFile[] => {
        const bytes = readBlob(pathOf(digest), digest);
        return bytes === undefined ? [] : [{ path, bytes, isProgram: executables.includes(path) }];
      });
      return found.length === Object.keys(files).length ? found : undefined;
    },
    keep(files) {
      for (const { bytes } of files) {
        const digest = digestBytes(bytes);
        if (readBlob(pathOf(digest), digest) === undefined) writeBlob(pathOf(digest), bytes);
      }
    },
  };
}

/** Reads a file of the cache, unless its content differs from its digest. */
function readBlob(file: string, digest: string): Uint8Array | undefined {
  try {
    const bytes = readFileSync(file);
    return digestBytes(bytes) === digest ? bytes : undefined;
  } catch {
    return undefined; // The file is missing, so the source must be queried.
  }
}

function writeBlob(file: string, bytes: Uint8Array): void {
  const beside = `${file}.${randomUUID()}.tmp`;
  try {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(beside, bytes, { flag: 'wx', mode: 0o600 });
    renameSync(beside, file);
  } catch {
    rmSync(beside, { force: true }); // Without the file, the next installation needs the source.
  }
}
