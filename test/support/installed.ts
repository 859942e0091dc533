import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** A project in which the built and packed package is installed; one for all tests of a run. */
export const installedProject = process.env['SKILLED_TEST_PACKAGE'] ?? installPackage();

/** The folder of the installed package. */
export const installedPackage = join(installedProject, 'node_modules', 'skilled');

/** The file that starts the command line, as users run it. */
export const installedMain = join(installedPackage, 'dist', 'cli', 'main.js');

// Only where a test file is run by itself; the test runner does this once for all.
function installPackage(): string {
  const script = join(root, 'scripts', 'test', 'package.js');
  return execFileSync(process.execPath, [script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}
