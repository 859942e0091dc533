// Runs several test files in one process, one after another; each file is a suite with hooks of its own.
// Loading the modules of the project takes longer than most tests, so files share a process.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeFile } from './light-tracking.js';

const minute = 60_000;
const timeout = 15 * minute; // for a file that hangs although its tests have deadlines of their own

const builtWorkers = process.env.SKILLED_TEST_WORKERS;
if (builtWorkers) (await import('../../src/core/package-files.ts')).useBuiltEntries(builtWorkers);

// Some tests wait only for things that do not keep a process alive, such as watched files.
const awake = setInterval(() => undefined, minute);
for (const file of process.argv.splice(2)) {
  process.send({ began: file });
  const before = cpuSeconds();
  await describeFile(file, { timeout }, () => import(pathToFileURL(path.resolve(file)).href));
  process.send({ measured: file, cpu: cpuSeconds() - before });
}

clearInterval(awake);

// What still runs after the last test was left behind by one of the files.
setTimeout(() => {
  const held = process.getActiveResourcesInfo().join(', ');
  process.stderr.write(`A minute after the last test, the process is kept alive by: ${held}.\n`);
  process.exit(1);
}, minute).unref();

// Of this process and, where the system tells, of the processes that it started and that have ended.
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
