import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { installedPackage } from './installed.ts';
import { root } from './pages.ts';

/** In place of `npm install`, which would need a network: a node_modules with the packages of this project, and with the packed one. */
export function linkPackages(project: string): void {
  const packages = join(root, 'node_modules');
  mkdirSync(join(project, 'node_modules'));
  for (const name of readdirSync(packages))
    symlinkSync(join(packages, name), join(project, 'node_modules', name));
  symlinkSync(installedPackage, join(project, 'node_modules', 'skilled'));
}
