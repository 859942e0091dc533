// Runs the tests. Files share processes, in shards of random order. Pass the printed seed to repeat an order.
//
//   npm test                                    all tests; `npm run stress` runs the long loops
//   npm test -- src/core/json.test.ts …         these files
//   npm test -- --seed 4711 --shard 3           the same shard again
//   npm test -- --test-name-pattern=cycle …     any option of node --test; each file gets its own process
//
// If NODE_V8_COVERAGE is set, the installed package has source maps for scripts/coverage.js.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { runShard } from './test/run-shard.js';
import { findTests, planShards } from './test/plan.js';
import { startSharedParts } from './test/shared-parts.js';
import { printSummary } from './test/summary.js';

const root = path.join(import.meta.dirname, '..');
const given = process.argv.slice(2);
const files = given.filter(
  (arg, index) => !arg.startsWith('-') && !/^--(?:seed|shard)$/.test(given[index - 1] ?? ''),
);
const nodeOptions = given.filter((arg) => arg.startsWith('--test-'));
const seed = numberAfter('--seed') ?? Math.floor(Math.random() * 1e9);
const onlyShard = numberAfter('--shard');

// A shard spends two fifths of its time waiting for processes, files and timers, so two more shards than
// cores keep the cores busy.
const lanes = availableParallelism() + 2;

process.chdir(root);
process.env.NODE_COMPILE_CACHE ??= path.join(root, 'node_modules', '.cache', 'compiled');
process.exitCode = nodeOptions.length > 0 ? runPlainly() : await runShards();

async function runShards() {
  const chosen =
    files.length > 0 ? files.map((file) => path.relative(root, path.resolve(file))) : findTests();
  const shards = planShards(chosen, seed).filter(
    ({ number }) => onlyShard === undefined || number === onlyShard,
  );
  if (shards.length === 0) {
    console.error('skilled: no test files found.');
    return 1;
  }
  console.log(`${chosen.length} files in ${shards.length} shards, seed ${seed}`);
  await using shared = await startSharedParts(shards);
  const results = [];
  const queue = [...shards];
  const work = async () => {
    while (queue.length > 0) {
      const shard = takeNext(queue, shared.hasPackage());
      if (shard.needsPackage) await shared.packageIsReady;
      results.push(await runShard(shard, seed, shared.variables()));
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return printSummary(results, seed);
}

// Shards that need the package take the longest, so they are first in line once the package is ready.
function takeNext(queue, hasPackage) {
  const index = queue.findIndex(({ needsPackage = false }) => needsPackage === hasPackage);
  return queue.splice(Math.max(index, 0), 1)[0];
}

function runPlainly() {
  const args = [
    '--test',
    `--test-concurrency=${lanes}`,
    ...nodeOptions,
    ...(files.length > 0 ? files : findTests()),
  ];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}

function numberAfter(option) {
  const index = given.indexOf(option);
  return index < 0 ? undefined : Number(given[index + 1]);
}
