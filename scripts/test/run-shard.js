// Runs the files of one shard in one process.
import { spawn } from 'node:child_process';
import path from 'node:path';

const minute = 60_000;
const worker = path.join(import.meta.dirname, 'worker.js');
const reporter = new URL('reporter.js', import.meta.url).href;

/**
 * Runs a shard and returns the results of each file. A file whose process ended too early has failed. Prints
 * a line at the end.
 */
export async function runShard({ number, files }, seed, variables) {
  const begun = performance.now();
  const results = [];
  const costs = new Map(); // CPU seconds per file
  let running;
  const args = [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout', worker, ...files];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...variables },
  });
  const late = setTimeout(() => child.kill('SIGKILL'), 25 * minute);
  child.on('message', (message) => {
    if (message.began) running = message.began;
    if (message.measured) costs.set(message.measured, message.cpu);
    if (message.ended === undefined) return;
    const { ended: file, ...result } = message;
    results.push({ file, ...result });
    for (const { title, line, text } of result.failures)
      console.error(`\n✖ ${file}:${line} ${title}\n${text}\n`);
  });
  const { code, signal } = await new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  clearTimeout(late);
  const missing = files.filter((file) => !results.some((result) => result.file === file));
  for (const { file, failures } of results)
    if (!files.includes(file))
      failures.push({ title: `"${file}" was added outside of the suite of its file` });
  const failed = results.some((result) => result.failed > 0 || result.failures.length > 0);
  if (missing.length > 0 || (code !== 0 && !failed)) {
    const text = `The process of shard ${number} ended with ${signal ?? `exit code ${code}`} at ${running}.`;
    console.error(`\n✖ ${text}\n`);
    results.push({ file: running, ms: 0, passed: 0, failed: 1, skipped: [], failures: [{ title: text }] });
  }
  const seconds = (performance.now() - begun) / 1000;
  const tests = results.reduce((sum, { passed, failed: wrong }) => sum + passed + wrong, 0);
  const again = failed || missing.length > 0 ? `  again: npm test -- --seed ${seed} --shard ${number}` : '';
  console.log(`shard ${number}: ${files.length} files, ${tests} tests, ${seconds.toFixed(1)} s${again}`);
  return {
    number,
    seconds,
    results: results.map((result) => ({ ...result, cpu: costs.get(result.file) ?? 0 })),
  };
}
