// Installs the dependencies if they are missing or differ from the lockfile. Works on Node 20 and has no
// dependencies itself.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const binaries = path.join(root, 'node_modules', '.bin');

const reason = reasonToInstall();
if (reason) install(reason);

// Compares the contents of files instead of their times, because a checkout does not preserve file times.
function reasonToInstall() {
  const locked = readPackages('package-lock.json');
  const installed = readPackages('node_modules/.package-lock.json');
  if (!locked) fail('package-lock.json is missing or damaged.', 'Restore it: git checkout package-lock.json');
  if (!installed) return 'node_modules is missing';

  for (const [name, entry] of Object.entries(locked)) {
    if (name === '') continue;
    const found = installed[name];
    if (!found && !entry.optional) return `${name} is missing`;
    if (found && !isSame(found, entry)) return `${name} is not the version of package-lock.json`;
  }
  for (const name of Object.keys(installed)) {
    if (!locked[name]) return `${name} is not in package-lock.json`;
  }
  if (!existsSync(path.join(binaries, 'node'))) return 'the Node of this project is missing';
  return undefined;
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function isSame(found, entry) {
  return found.version === entry.version && found.integrity === entry.integrity;
}

// The output of npm goes to stderr, because stdout belongs to the command that follows.
function install(reason) {
  console.error(`skilled: installing dependencies (${reason}) …`);
  const result = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    env: { ...process.env, PATH: pathWithoutProject() },
    shell: process.platform === 'win32',
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (result.error) fail(`npm could not be started: ${result.error.message}.`, 'Install npm 11 or later.');
  if (result.status !== 0) {
    fail(
      `npm ci failed (${result.signal ?? `exit code ${result.status}`}).`,
      'Read its message above, then run: npm ci',
    );
  }
  const left = reasonToInstall();
  if (left) fail(`npm ci ended, but ${left}.`, 'Remove node_modules, then run: npm ci');
  console.error('skilled: dependencies are installed.');
}

// `npm ci` removes node_modules, so npm must not run on a Node that is installed there.
function pathWithoutProject() {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.filter((folder) => folder !== binaries).join(path.delimiter);
}

function fail(what, next) {
  console.error(`skilled: ${what} ${next}`);
  process.exit(1);
}
