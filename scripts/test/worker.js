// Runs several test files in one process, one after another. Each file is a suite with its own hooks. Files
// share a process because loading the project's modules takes longer than most tests.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeFile } from './light-tracking.js';

const minute = 60_000;
const timeout = 15 * minute; // for a file that hangs even though its tests have their own deadlines

const builtWorkers = process.env.SKILLED_TEST_WORKERS;
if (builtWorkers) (await import('../../src/core/package-files.ts')).useBuiltEntries(builtWorkers);

// Each file may add its own listeners for the end of the process.
process.setMaxListeners(0);

// Some tests wait only for resources that do not keep a process alive, such as file watchers.
const awake = setInterval(() => undefined, minute);
for (const file of process.argv.splice(2)) {
  process.send({ began: file });
  const before = cpuSeconds();
  await describeFile(file, { timeout }, () => import(pathToFileURL(path.resolve(file)).href));
  process.send({ measured: file, cpu: cpuSeconds() - before });
}

clearInterval(awake);

// Anything that is still running after the last test was left behind by one of the files.
setTimeout(() => {
  const held = process.getActiveResourcesInfo().join(', ');
  process.stderr.write(`A minute after the last test, the process is kept alive by: ${held}.\n`);
  process.exit(1);
}, minute).unref();

// Returns the CPU time of this process and, on Linux, of its ended child processes.
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  const stat = '/proc/self/stat';
  const fields = existsSync(stat)
    ? readFileSync(stat, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
    : [];
  return (user + system) / 1e6 + (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / 100;
}
