import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { installedPackage } from './installed.ts';
import { root } from './pages.ts';

/**
 * Creates node_modules with links to this project's packages and to the packed package. Replaces `npm
 * install`, which needs a network.
 */
export function linkPackages(project: string): void {
  const packages = join(root, 'node_modules');
  mkdirSync(join(project, 'node_modules'));
  for (const name of readdirSync(packages))
    symlinkSync(join(packages, name), join(project, 'node_modules', name));
  symlinkSync(installedPackage, join(project, 'node_modules', 'skilled'));
}
