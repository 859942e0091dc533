import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { root } from '../support/pages.ts';

/** The fields of a package.json that tests read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly files?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Reads the manifest of the package in a folder. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

/**
 * Returns the folders of these packages and all their dependencies. Optional ones are included if installed.
 */
export function closureOf(names: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  const add = (name: string, from: string): void => {
    const folder = findPackage(name, from);
    if (folder === undefined || folders.has(folder)) return;
    folders.add(folder);
    const { dependencies, optionalDependencies } = readManifest(folder);
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) add(next, folder);
  };
  for (const name of names) add(name, root);
  return [...folders];
}

/** Returns the size of these packages in bytes, without packages inside them, which are listed separately. */
export function sizeOfPackages(folders: readonly string[]): number {
  return folders.reduce((sum, folder) => sum + sizeOf(folder), 0);
}

function sizeOf(file: string): number {
  const stats = lstatSync(file);
  const own = stats.blocks * 512;
  if (!stats.isDirectory()) return own;
  const inside = readdirSync(file).filter((name) => name !== 'node_modules');
  return inside.reduce((sum, name) => sum + sizeOf(path.join(file, name)), own);
}

function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const found = path.join(folder, 'node_modules', name);
    if (existsSync(path.join(found, 'package.json'))) return realpathSync(found);
  }
  return undefined;
}
