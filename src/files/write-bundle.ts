import { hash } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file of a bundle from an untrusted source. Its path was checked with `createBundlePaths`. */
export interface BundleFile {
  /** The path relative to the bundle, with slashes. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isProgram?: boolean;
}

/** Waits until a file, or the entries of a folder, have been written to disk. */
export function syncPath(path: string): void {
  if (process.platform === 'win32') return; // Windows cannot sync folders.
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Returns the digest of some bytes: `sha256:` and 64 hexadecimal digits. */
export function digestBytes(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes)}`;
}

/**
 * Writes the files of a bundle into a folder that no other user can enter. Never replaces a file and never
 * follows a link. With `isShared`, the files get the modes of a checkout, because the folder will be moved to its
 * final place. Files are not flushed to disk one by one: a damaged file is found by its digest.
 */
export function writeBundle(
  folder: string,
  files: readonly BundleFile[],
  { isShared = false }: { readonly isShared?: boolean } = {},
): void {
  const folders = new Set<string>();
  const enter = (path: string): void => {
    if (folders.has(path)) return;
    mkdirSync(path, { recursive: true, mode: isShared ? 0o755 : 0o700 });
    folders.add(path);
  };
  enter(folder);
  for (const { path, bytes, isProgram = false } of files) {
    const file = join(folder, path);
    enter(dirname(file));
    writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
    if (isShared) chmodSync(file, isProgram ? 0o755 : 0o644);
  }
}
