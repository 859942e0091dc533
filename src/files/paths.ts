import { sep } from 'node:path';

/** The path of a name in a folder; cheaper than `join` where the name is known to be one. */
export function childOf(dir: string, name: string): string {
  return dir.endsWith(sep) ? dir + name : dir + sep + name;
}

/** The path from a folder to something in or below it; empty for the folder itself. */
export function below(dir: string, path: string): string {
  return path.slice(dir.endsWith(sep) ? dir.length : dir.length + 1);
}

/** Whether a path is a folder or lies below it; both absolute, without links or dots. */
export function isWithin(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir.endsWith(sep) ? dir : dir + sep);
}
