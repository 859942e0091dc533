// Runs the tests: every file by default, the files given as arguments, or at full count the long loops with --stress
// and the random inputs with --fuzz.
// Options of node --test may be given with an equals sign: npm test -- --test-name-pattern=cycle
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const given = process.argv.slice(2);
const long = ['stress', 'fuzz'].find((kind) => given.includes(`--${kind}`));
const options = given.filter((argument) => argument.startsWith('-') && argument !== `--${long}`);
const files = given.filter((argument) => !argument.startsWith('-'));

const minute = 60_000;
const limit = long ? { test: 25 * minute, all: 64 * minute } : { test: 4 * minute, all: 24 * minute };

// By default Node leaves one core idle, which on two cores doubles the time. Many tests wait for processes and files, so
// one more than there are cores keeps these busy. Long loops measure, so they run alone.
const atOnce = long ? 1 : availableParallelism() + 1;

// Hundreds of processes load the same TypeScript: what one of them has compiled, the others take.
const ownVariables = {
  NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'compiled'),
  ...(long && { SKILLED_STRESS: 'full' }),
};

const found = files.length > 0 ? files : findTests(long ? [long] : ['test', 'stress', 'fuzz']);
if (found.length > 0) run(found);
else {
  console.error('skilled: no test files found.');
  process.exitCode = long ? 0 : 1;
}

// Live tests need keys and a network, and fixtures are data: neither runs here.
function findTests(kinds) {
  const patterns = kinds.flatMap((kind) => [`src/**/*.${kind}.ts`, `test/**/*.${kind}.ts`]);
  return globSync(patterns, { cwd: root })
    .filter((file) => !file.endsWith('.live.test.ts') && !file.split(path.sep).includes('fixtures'))
    .sort();
}

function run(found) {
  const child = spawn(
    process.execPath,
    [
      '--test',
      `--test-timeout=${limit.test}`,
      `--test-concurrency=${atOnce}`,
      ...reporters(),
      ...options,
      ...found,
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...ownVariables } },
  );
  const stop = setTimeout(() => {
    console.error(`skilled: the tests did not end within ${limit.all / minute} minutes.`);
    child.kill('SIGTERM'); // node --test then names the file that was running
  }, limit.all);

  process.on('SIGINT', () => {}); // a terminal sends it to the child as well
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => {
    clearTimeout(stop);
    process.exitCode = code ?? 1;
  });
}

// SKILLED_NO_SKIP turns every skipped or unfinished test into a failure.
function reporters() {
  const list = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
  if (process.env.SKILLED_NO_SKIP) {
    list.push(`--test-reporter=${new URL('no-skip-reporter.js', import.meta.url).href}`);
    list.push('--test-reporter-destination=stderr');
  }
  return list;
}
