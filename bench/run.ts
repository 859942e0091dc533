import { spawnSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { codeCalls } from './code-calls.ts';
import { cold } from './cold.ts';
import { corpus, scratchFolder, synthetic } from './data.ts';
import { measureEntryPoints } from './entry-points.ts';
import { foreignSkills } from './foreign-skills.ts';
import { growth, growthOfCopies } from './growth.ts';
import { importCsv } from './import-csv.ts';
import { installSkills } from './install.ts';
import { journal } from './journal.ts';
import { loop } from './loop.ts';
import type { Row } from './measure.ts';
import { memory } from './memory.ts';
import { installPacked } from './packed.ts';
import { peers } from './peers.ts';
import { reload } from './reload.ts';
import { eventLatency, httpRequests } from './requests.ts';
import { responsiveness } from './responsiveness.ts';
import { robustness } from './robustness.ts';
import { sandboxes } from './sandboxes.ts';
import { manySessions } from './sessions.ts';
import { sop } from './sop.ts';
import { startUp } from './start-up.ts';
import { tables } from './tables.ts';
import { tokens } from './tokens.ts';
import { packageVariable } from './use-package.ts';
import { warm } from './warm.ts';

const { values } = parseArgs({
  options: {
    /** A folder with `corpus.tar.gz` or with descriptors. */
    data: { type: 'string', default: process.env['SKILLED_DATA'] ?? '' },
    /** Whether to run only the correctness checks and exit with 1 if one of them fails. */
    check: { type: 'boolean', default: false },
    /** The number of skills in the generated workload. */
    skills: { type: 'string', default: '10000' },
    'no-peers': { type: 'boolean', default: false },
    /** Whether to measure only the growth: 50 copies of the corpus, and up to 100,000 generated skills. */
    growth: { type: 'boolean', default: false },
    /** The names of the benchmarks to run, separated by commas. Default: all. */
    only: { type: 'string', default: '' },
  },
});

using scratch = scratchFolder();
const folder = process.env[packageVariable];
process.exitCode = folder === undefined ? measurePacked() : await measure(folder);

/** Builds, packs and installs the package, and runs this program again with the installed package. */
function measurePacked(): number {
  process.stderr.write('Building and packing …\n');
  const preload = pathToFileURL(join(import.meta.dirname, 'use-package.ts')).href;
  const { status } = spawnSync(process.execPath, ['--expose-gc', ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: {
      ...process.env,
      [packageVariable]: installPacked(scratch.path),
      NODE_OPTIONS: `--import ${preload}`,
    },
  });
  return status ?? 1;
}

/** Runs the benchmarks and prints their figures. Returns 1 if one failed or a check found a fault. */
async function measure(packed: string): Promise<number> {
  const real = corpus(values.data === '' ? undefined : values.data, scratch.path);
  if (real === undefined) process.stderr.write('No corpus: give its folder with --data or SKILLED_DATA.\n');
  const rows: Row[] = [];
  const faults: string[] = [];
  const failed: string[] = [];
  const chosen = values.only === '' ? undefined : values.only.split(',');

  /** Runs one benchmark. If it fails, the others still run. */
  const part = async (name: string, work: () => readonly Row[] | Promise<readonly Row[]>): Promise<void> => {
    if (chosen?.includes(name) === false) return;
    process.stderr.write(`${name} …\n`);
    try {
      rows.push(...(await work()));
    } catch (thrown) {
      failed.push(name);
      process.stderr.write(`${name} failed: ${thrown instanceof Error ? thrown.stack : String(thrown)}\n`);
      rows.push({ id: '!!', what: name, figure: 'failed', met: false });
    }
  };

  if (values.growth) {
    if (real !== undefined) await part('copies', () => growthOfCopies(real, 50, scratch.path));
    await part('growth', () => growth(scratch.path));
  } else if (!values.check) {
    const generated = synthetic(Number(values.skills), scratch.path);
    const others = values['no-peers'] ? [] : await peers();
    const workloads = real === undefined ? [generated] : [real, generated];
    for (const workload of workloads) await part('cold', () => cold(workload, others));
    await new Promise((resolve) => setTimeout(resolve, 200)); // longer than the resolution of file times
    for (const workload of workloads) await part('warm', () => [warm(workload, scratch.path)]);
    await part('reload', async () => [await reload(generated)]);
    for (const workload of workloads) await part('memory', () => [memory(workload)]);
    if (real !== undefined) await part('tokens', () => tokens(real));
    await part('journal', () => journal(scratch.path));
    await part('sessions', () => manySessions(scratch.path));
    await part('responsiveness', () => responsiveness(generated, scratch.path));
    await part('loop', () => loop(scratch.path, !values['no-peers']));
    await part('requests', () => httpRequests(scratch.path));
    await part('latency', () => eventLatency(scratch.path));
    await part('sop', sop);
    await part('sandboxes', () => sandboxes(scratch.path));
    await part('code-calls', () => codeCalls(scratch.path));
    await part('start-up', () => startUp(scratch.path, join(packed, 'dist/cli/main.js')));
    await part('install', () => installSkills(scratch.path));
  }
  if (real !== undefined && !values.growth)
    await part('correctness', async () => {
      const results = [robustness(real), foreignSkills(real), await measureEntryPoints(real, scratch.path)];
      faults.push(...results.flatMap((result) => result.faults));
      return results.flatMap((result) => result.rows);
    });
  // These benchmarks run last, because stopping PostgreSQL may take a minute after an interrupt.
  if (!values.check && !values.growth) {
    await part('tables', () => tables(scratch.path));
    await part('import', () => importCsv(scratch.path));
  }

  print(rows);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (!values.check) return failed.length === 0 ? 0 : 1;
  const isPassed = faults.length + failed.length === 0;
  process.stdout.write(`\n${isPassed ? 'check passed' : `check failed: ${faults.length} faults`}\n`);
  return isPassed && real !== undefined ? 0 : 1;
}

function print(rows: readonly Row[]): void {
  const width = Math.max(0, ...rows.map((row) => row.what.length));
  process.stdout.write(
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}, Node ${process.version}\n\n`,
  );
  for (const row of rows) {
    const verdict = row.met === undefined ? '' : row.met ? 'met' : 'MISSED';
    process.stdout.write(
      `${row.id}  ${row.what.padEnd(width)}  ${row.figure.padEnd(44)}  ${row.target ?? ''}  ${verdict}\n`,
    );
  }
  const aimed = rows.filter((row) => row.met !== undefined);
  const missed = aimed.filter((row) => row.met === false);
  process.stdout.write(`\n${aimed.length - missed.length} of ${aimed.length} targets met.\n`);
}
