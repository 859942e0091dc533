import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** A project in which the built and packed package is installed. All tests of a run share it. */
export const installedProject = process.env['SKILLED_TEST_PACKAGE'] ?? installPackage();

/** The folder of the installed package. */
export const installedPackage = join(installedProject, 'node_modules', 'skilled');

/** The installed package's CLI entry file. */
export const installedMain = join(installedPackage, 'dist', 'cli', 'main.js');

// Needed only if a test file runs by itself. The test runner installs the package once for all files.
function installPackage(): string {
  const script = join(root, 'scripts', 'test', 'package.js');
  return execFileSync(process.execPath, [script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}
