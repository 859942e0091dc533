// Provides the package as users get it: built, packed and installed in a separate folder outside the project,
// so that it can use only its own contents. It is built once, and rebuilt if one of its source files changes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');
const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
  readFileSync(path.join(root, 'package.json'), 'utf8'),
);

// The files from which the package is built.
const sources = [
  ...['assets', 'docs', 'schemas', 'scripts/build', 'skills', 'src'],
  ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'scripts/build.js', 'tsconfig.json'],
];
const isTest = /\.(?:test|test-d|stress|fuzz)\.ts$/;

/**
 * Returns the folder of a project in which the package is installed with its optional and peer dependencies.
 */
export function installPackage({ sourceMaps = false } = {}) {
  const cache = path.join(tmpdir(), `skilled-packages-${userInfo().uid}`);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const key = keyOf([...sources, 'scripts/test/package.js']);
  const folder = path.join(cache, `${key}${sourceMaps ? '-maps' : ''}`);
  if (existsSync(folder)) return folder;
  removeOlderThan(cache, 24 * 3_600_000);
  const work = mkdtempSync(path.join(cache, 'work-'));
  const app = mkdtempSync(path.join(cache, 'app-')); // same depth as the final folder: links are relative
  try {
    const project = copyProject(path.join(work, 'project'));
    run(project, process.execPath, ['scripts/build.js', ...(sourceMaps ? ['--source-maps'] : [])]);
    installTarball(packProject(project, work), app);
    if (sourceMaps) copyMaps(path.join(project, 'dist'), path.join(app, 'node_modules', 'skilled', 'dist'));
    renameSync(app, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // another process was faster if the rename fails
  } finally {
    for (const left of [work, app]) rmSync(left, { recursive: true, force: true });
  }
  return folder;
}

/**
 * Installs a packed package in a new project as npm does, except that its dependencies come from this
 * project, because tests do not use the network.
 */
export function installTarball(tarball, app, { omitOptional = false } = {}) {
  mkdirSync(app, { recursive: true });
  writeFileSync(path.join(app, 'package.json'), '{ "private": true, "type": "module" }\n');
  const optional = omitOptional ? {} : { ...optionalDependencies, ...peerDependencies };
  const names = Object.keys({ ...dependencies, ...optional });
  const folders = names
    .map((name) => path.join(root, 'node_modules', name))
    .filter((folder) => existsSync(folder));
  const quiet = [
    '--offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--no-package-lock',
  ];
  run(app, 'npm', ['install', ...quiet, ...(omitOptional ? ['--omit=optional'] : []), tarball, ...folders]);
}

/** Packs a built project into the given folder. Returns the path of the package file. */
export function packProject(project, folder) {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(run(project, 'npm', args));
  return path.join(folder, filename);
}

/**
 * Copies the package's source files, so that a build neither requires nor changes the project's own `dist`.
 */
export function copyProject(target) {
  mkdirSync(target, { recursive: true });
  const filter = (file) => !isTest.test(file) && path.basename(file) !== 'fixtures';
  for (const source of sources)
    cpSync(path.join(root, source), path.join(target, source), { recursive: true, filter });
  symlinkSync(path.join(root, 'node_modules'), path.join(target, 'node_modules'));
  return target;
}

function keyOf(names) {
  // The hash includes the root, because dependencies are links into this project.
  const hash = createHash('sha256').update(`${process.version}\0${root}\0`);
  for (const name of names) {
    const found = name.includes('.') ? [name] : globSync(`${name}/**/*.*`, { cwd: root }).sort();
    for (const file of found) {
      if (isTest.test(file) || statSync(path.join(root, file)).isDirectory()) continue;
      hash.update(`${file}\0`).update(readFileSync(path.join(root, file)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

function removeOlderThan(cache, ms) {
  for (const name of readdirSync(cache)) {
    const file = path.join(cache, name);
    if (Date.now() - statSync(file).mtimeMs > ms) rmSync(file, { recursive: true, force: true });
  }
}

function copyMaps(from, to) {
  for (const map of globSync('**/*.map', { cwd: from })) cpSync(path.join(from, map), path.join(to, map));
}

function run(cwd, command, args) {
  const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH, npm_config_update_notifier: 'false' },
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  });
}

if (process.argv[1] === import.meta.filename) {
  console.log(installPackage({ sourceMaps: process.argv.includes('--source-maps') }));
}
