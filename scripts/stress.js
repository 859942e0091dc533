// Runs the long loops, each file in a separate process:
//
//   npm run stress                                 rounds with new seeds, 12 minutes in total: *.stress.ts,
//                                                  *.fuzz.ts and the tests in src that create loops
//   npm run stress -- --minutes 3 --seed 5         the same seeds with another time limit
//   npm run stress -- --seed 5 --round 17 <file>   one round of each loop of a file
//   npm run stress -- --full                       the full counts of *.stress.ts, however long they take
//   npm run fuzz                                   the full counts of *.fuzz.ts
//
// Options of node:test need an equals sign: --test-name-pattern=cycle
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const root = path.join(import.meta.dirname, '..');
const minute = 60; // all times are in seconds
const grace = 5 * minute; // the time that a file has to exit after its share of the time
const most = { file: 25 * minute, all: 64 * minute }; // with full counts

const options = readArguments(process.argv.slice(2));
const loops = findLoops();
const atOnce = options.isFull ? 1 : Math.min(4, availableParallelism());
const isShownLive = atOnce === 1 || loops.length === 1;
const running = new Set();
let isStopped = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(`stopped by ${signal}`));
await runAll();

function readArguments(given) {
  const forTests = given.filter((argument) => /^--test-[a-z-]+=/.test(argument));
  try {
    const { values, positionals } = parseArgs({
      args: given.filter((argument) => !forTests.includes(argument)),
      allowPositionals: true,
      options: {
        minutes: { type: 'string' },
        seed: { type: 'string' },
        round: { type: 'string' },
        full: { type: 'boolean' },
        fuzz: { type: 'boolean' },
      },
    });
    const isFull = values.full ?? (values.fuzz === true && values.minutes === undefined);
    if (isFull && values.minutes !== undefined) throw new Error('Give either --full or --minutes.');
    const minutes = Number(values.minutes ?? 12);
    if (!(minutes > 0 && minutes < 24 * 60)) throw new Error('--minutes must be a positive number.');
    return {
      isFull,
      seconds: minutes * minute,
      seed: readCount('seed', values.seed) ?? randomInt(2 ** 31),
      round: readCount('round', values.round),
      kinds: values.fuzz ? ['fuzz'] : isFull ? ['stress'] : ['stress', 'fuzz'],
      files: positionals,
      forTests,
    };
  } catch (thrown) {
    console.error(`skilled: ${thrown.message}`);
    process.exit(2);
  }
}

function readCount(name, text) {
  if (text !== undefined && !/^\d{1,15}$/.test(text)) throw new Error(`--${name} must be a whole number.`);
  return text === undefined ? undefined : Number(text);
}

// Returns the files to run: first those that run alone, then those with two shares of the time.
function findLoops() {
  const patterns = options.kinds.flatMap((kind) => [`src/**/*.${kind}.ts`, `test/**/*.${kind}.ts`]);
  const withLoops = options.kinds.includes('stress') ? globSync('src/**/*.test.ts', { cwd: root }) : [];
  const found = globSync(patterns, { cwd: root })
    .filter((file) => !file.split(path.sep).includes('fixtures'))
    .concat(
      withLoops.filter((file) => readFileSync(path.join(root, file), 'utf8').includes(' = createLoop(')),
    )
    .sort();
  return (options.files.length > 0 ? options.files : found)
    .map((file) => {
      const [comments] = /^(?:\/\/.*\n)*/.exec(readFileSync(path.resolve(root, file), 'utf8'));
      return {
        file: path.relative(root, path.resolve(root, file)),
        isAlone: comments.includes('// Runs alone:'),
        weight: comments.includes('// Takes two shares:') ? 2 : 1,
      };
    })
    .sort((a, b) => Number(b.isAlone) - Number(a.isAlone) || b.weight - a.weight);
}

async function runAll() {
  const length = options.isFull ? 'full counts' : `${options.seconds / minute} minutes`;
  console.log(`stress: ${loops.length} files, ${length}, seed ${options.seed}`);
  const server = process.env.SKILLED_TEST_POSTGRES ? undefined : await startServer();
  const clock = setTimeout(() => stop('stopped: all files took too long'), most.all * 1_000);
  if (!options.isFull) clearTimeout(clock);

  const waiting = [...loops];
  const ended = [];
  const lane = async (isAlone) => {
    while (!isStopped && waiting[0]?.isAlone === isAlone) {
      const seconds = shareOfNext(waiting);
      ended.push(await run(waiting.shift(), seconds, server?.url));
    }
  };
  await lane(true);
  await Promise.all(Array.from({ length: atOnce }, () => lane(false)));

  clearTimeout(clock);
  await server?.[Symbol.asyncDispose]();
  report(ended, waiting);
}

// Starts one server for all files. Each file creates its own database.
async function startServer() {
  const { startPostgres } = await import('../test/support/postgres.ts');
  return startPostgres();
}

// Divides the remaining time of all processes among the waiting files. A file that runs alone uses all
// processes.
function shareOfNext(waiting) {
  const left = Math.max(0, options.seconds - process.uptime());
  const taken = [...running].reduce((sum, { endsAt }) => sum + Math.max(0, endsAt - process.uptime()), 0);
  const weight = ({ weight, isAlone }) => weight * (isAlone ? atOnce : 1);
  const all = waiting.reduce((sum, loop) => sum + weight(loop), 0);
  const share = (waiting[0].weight / all) * Math.max(0, left * atOnce - taken);
  return Math.min(share, left);
}

async function run({ file }, share, postgres) {
  const { seed, round, isFull } = options;
  const order = isFull ? { mode: 'full', seed, round } : { mode: 'budget', seed, round, seconds: share };
  const child = spawn(process.execPath, [...reporters(), ...options.forTests, file], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group, so that killing it leaves no child process
    env: {
      ...process.env,
      // Hundreds of processes load the same TypeScript files, so they share a compile cache.
      NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'compiled'),
      SKILLED_STRESS: JSON.stringify(order),
      ...(postgres !== undefined && { SKILLED_TEST_POSTGRES: postgres }),
    },
  });
  const began = process.uptime();
  const one = { file, child, endsAt: began + share, output: '', problem: undefined };
  running.add(one);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      one.output += text;
      if (isShownLive) process.stdout.write(text);
    });
  }
  const limit = isFull ? most.file : share + grace;
  const clock = setTimeout(() => kill(one, `killed after ${Math.round(limit)} s`), limit * 1_000);
  const closed = once(child, 'close');
  const [code, signal] = await once(child, 'exit');
  await Promise.race([closed, delay(1_000)]); // a child process may still have the output open
  clearTimeout(clock);
  running.delete(one);

  const problem = one.problem ?? (code === 0 ? undefined : `failed (${signal ?? `exit code ${code}`})`);
  if (!isShownLive) console.log(`\n${file}\n${one.output.trimEnd()}`);
  return { file, seconds: process.uptime() - began, problem, ...readOutput(one) };
}

// Reads the output of the modules in test/stress. A file that was killed does not report its rounds.
function readOutput({ file, output }) {
  const rounds = Number(/^stress: (\d+) rounds$/m.exec(output)?.[1] ?? 0);
  const commands = new Set([...output.matchAll(/Repeat it: (npm run stress .+)$/gm)].map(([, text]) => text));
  const whole = `npm run stress -- ${options.isFull ? '--full ' : ''}--seed ${options.seed} ${file}`;
  return { rounds, commands: commands.size > 0 ? [...commands] : [whole] };
}

function kill(one, problem) {
  one.problem ??= problem;
  try {
    process.kill(-one.child.pid, 'SIGKILL');
  } catch {
    // the process has already ended
  }
}

function stop(why) {
  isStopped = true;
  for (const one of running) kill(one, why);
}

function report(ended, waiting) {
  const line = (seconds, rounds, what) =>
    console.log(`${seconds.toFixed(1).padStart(8)} ${String(rounds).padStart(9)}  ${what}`);
  console.log('\n seconds    rounds  file');
  for (const { file, seconds, rounds, problem } of ended) {
    line(seconds, rounds, problem === undefined ? file : `${file}: ${problem}`);
  }
  const rounds = ended.reduce((sum, one) => sum + one.rounds, 0);
  line(process.uptime(), rounds, `in all, seed ${options.seed}`);

  const failed = ended.filter(({ problem }) => problem !== undefined);
  for (const { file } of waiting) console.error(`skilled: ${file} did not run.`);
  for (const { file, problem, commands } of failed) {
    console.error(`skilled: ${file} ${problem}. Repeat it:\n  ${commands.join('\n  ')}`);
  }
  if (failed.length + waiting.length > 0) process.exitCode = 1;
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
