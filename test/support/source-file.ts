import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The project folder. */
export const projectRoot = join(import.meta.dirname, '..', '..');

/**
 * Returns the absolute path of a project file. Throws if the file does not exist, so that a test notices a
 * moved file.
 */
export function sourceFile(path: string): string {
  const file = join(projectRoot, path);
  if (!existsSync(file)) throw new Error(`There is no ${path}: it was moved or merged.`);
  return file;
}

/** Returns the file's URL, for programs that import it. */
export function sourceUrl(path: string): string {
  return pathToFileURL(sourceFile(path)).href;
}
