import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The folder of the project. */
export const projectRoot = join(import.meta.dirname, '..', '..');

/** The absolute path of a file of the project, named from its root: a test that follows no move fails here. */
export function sourceFile(path: string): string {
  const file = join(projectRoot, path);
  if (!existsSync(file)) throw new Error(`There is no ${path}: it was moved or merged.`);
  return file;
}

/** The same as a URL, for programs that import it. */
export function sourceUrl(path: string): string {
  return pathToFileURL(sourceFile(path)).href;
}
