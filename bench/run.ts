import { cpus, release, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { codeCalls } from './code-calls.ts';
import { cold } from './cold.ts';
import { corpus, scratchFolder, synthetic } from './data.ts';
import { measureEntryPoints } from './entry-points.ts';
import { growth, growthOfCopies } from './growth.ts';
import { importCsv } from './import-csv.ts';
import { journal } from './journal.ts';
import { loop } from './loop.ts';
import { memory } from './memory.ts';
import type { Row } from './measure.ts';
import { peers } from './peers.ts';
import { reload } from './reload.ts';
import { responsiveness } from './responsiveness.ts';
import { foreignSkills } from './foreign-skills.ts';
import { robustness } from './robustness.ts';
import { sandboxes } from './sandboxes.ts';
import { manySessions } from './sessions.ts';
import { sop } from './sop.ts';
import { startUp } from './start-up.ts';
import { tables } from './tables.ts';
import { tokens } from './tokens.ts';
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
  },
});

using scratch = scratchFolder();
const real = corpus(values.data === '' ? undefined : values.data, scratch.path);
if (real === undefined) process.stderr.write('No corpus: give its folder with --data or SKILLED_DATA.\n');

const rows: Row[] = [];
let faults: readonly string[] = [];
if (values.growth) {
  if (real !== undefined) rows.push(...growthOfCopies(real, 50, scratch.path));
  rows.push(...growth(scratch.path));
} else if (!values.check) {
  const generated = synthetic(Number(values.skills), scratch.path);
  const others = values['no-peers'] ? [] : await peers();
  const workloads = real === undefined ? [generated] : [real, generated];
  for (const workload of workloads) rows.push(...(await cold(workload, others)));
  await new Promise((resolve) => setTimeout(resolve, 200)); // longer than the resolution of file times
  for (const workload of workloads) rows.push(warm(workload, scratch.path));
  rows.push(await reload(generated));
  for (const workload of workloads) rows.push(memory(workload));
  if (real !== undefined) rows.push(...(await tokens(real)));
  rows.push(...(await journal(scratch.path)));
  rows.push(...(await manySessions(scratch.path)));
  rows.push(...(await responsiveness(generated, scratch.path)));
  rows.push(...(await loop(scratch.path, !values['no-peers'])));
  rows.push(...(await sop()));
  rows.push(...(await sandboxes(scratch.path)), ...(await codeCalls(scratch.path)));
  rows.push(...(await startUp(scratch.path)));
}
if (real !== undefined && !values.growth) {
  const results = [robustness(real), foreignSkills(real), await measureEntryPoints(real, scratch.path)];
  rows.push(...results.flatMap((result) => result.rows));
  faults = results.flatMap((result) => result.faults);
}
// These benchmarks run last, because stopping PostgreSQL may take a minute after an interrupt.
if (!values.check && !values.growth)
  rows.push(...(await tables(scratch.path)), ...(await importCsv(scratch.path)));

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
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (values.check) {
  process.stdout.write(
    `\n${faults.length === 0 ? 'check passed' : `check failed: ${faults.length} faults`}\n`,
  );
  process.exitCode = faults.length === 0 && real !== undefined ? 0 : 1;
}
