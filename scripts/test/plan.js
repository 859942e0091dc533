// Finds the test files and decides which of them share a process.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');
const sharedShards = 8;
const packageShards = 8;

/**
 * Returns all test files except live tests, which need keys and a network, and fixtures, which are data. The
 * long loops are run by scripts/stress.js instead.
 */
export function findTests() {
  return globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })
    .filter((file) => !file.endsWith('.live.test.ts') && !file.split(path.sep).includes('fixtures'))
    .sort();
}

/**
 * Returns the shards, numbered in the order in which they start. The seed determines which files share a
 * shard, and their order. Files that need the installed package are last, because the package is built in the
 * meantime. A file that starts with "// Own process: <reason>" gets its own process. Files that mock timers
 * are first in their process, because timers of earlier files could not be cleared while timers are mocked.
 */
export function planShards(files, seed) {
  const reachesPackage = createSearch('test/support/installed.ts');
  const late = new Set(files.filter(reachesPackage));
  const own = new Set(files.filter((file) => read(file).startsWith('// Own process:')));
  const shuffled = shuffle(files, seed).sort((one, other) => mocksTimers(other) - mocksTimers(one));
  const pick = (isOwn, isLate) =>
    shuffled.filter((file) => own.has(file) === isOwn && late.has(file) === isLate);
  const alone = (isLate) => pick(true, isLate).map((file) => [file]);
  const shards = [
    ...[...deal(pick(false, false), sharedShards), ...alone(false)].map((list) => ({ files: list })),
    ...[...deal(pick(false, true), packageShards), ...alone(true)].map((list) => ({
      files: list,
      needsPackage: true,
    })),
  ];
  return shards.map((shard, index) => ({ number: index + 1, ...shard }));
}

function mocksTimers(file) {
  return /timers\.enable\(\{ apis: \[[^\]]*'set/.test(read(file));
}

// Distributes the files among shards one by one, because the files in a folder are often all slow.
function deal(files, most) {
  const count = Math.min(most, Math.ceil(files.length / 8));
  return Array.from({ length: count }, (_, shard) => files.filter((_file, index) => index % count === shard));
}

function shuffle(list, seed) {
  const random = createRandom(seed);
  const shuffled = [...list];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other], shuffled[last]];
  }
  return shuffled;
}

// mulberry32: a seed gives the same numbers on every machine
function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Returns a function that checks whether a file imports the target, either directly or through files in
// test/.
function createSearch(target) {
  const known = new Map([[target, true]]);
  const reaches = (file) => {
    const before = known.get(file);
    if (before !== undefined) return before;
    known.set(file, false); // an import cycle adds no new file
    const found = importsOf(file).some(reaches);
    known.set(file, found);
    return found;
  };
  return reaches;
}

function importsOf(file) {
  return [...read(file).matchAll(/from '(\.[^']+\.ts)'/g)]
    .map(([, name]) => path.posix.join(path.posix.dirname(file), name))
    .filter((name) => name.startsWith('test/') && existsSync(path.join(root, name)));
}

function read(file) {
  return readFileSync(path.join(root, file), 'utf8');
}
