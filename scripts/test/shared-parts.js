// Starts the resources that all shards share: a folder for temporary files, a PostgreSQL server, built
// workers and the installed package.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundleWorkers, sharedOptions } from '../build/bundle-workers.js';
import { startPostgres } from '../../test/support/postgres.ts';

/**
 * Starts the resources that these shards need. A separate process builds the package in the background:
 * `packageIsReady` resolves when tests can use the package, and rejects if the build fails.
 */
export async function startSharedParts(shards) {
  const variables = { SKILLED_TEST_FOLDER: mkdtempSync(path.join(tmpdir(), 'skilled-')) };
  chmodSync(variables.SKILLED_TEST_FOLDER, 0o755); // some tests run programs as another user
  const packageIsReady = shards.some(({ needsPackage }) => needsPackage) ? makePackage(variables) : undefined;
  packageIsReady?.catch(() => undefined); // the shard that waits for it reports the error
  // Coverage measures the sources, so it must not use built workers.
  if (!process.env.NODE_V8_COVERAGE) variables.SKILLED_TEST_WORKERS = await buildWorkers();
  const postgres = shards.length > 1 ? await startPostgres() : undefined;
  if (postgres) variables.SKILLED_TEST_POSTGRES = postgres.url;
  return {
    packageIsReady,
    hasPackage: () => variables.SKILLED_TEST_PACKAGE !== undefined,
    variables: () => variables,
    [Symbol.asyncDispose]: async () => {
      if (variables.SKILLED_TEST_WORKERS)
        rmSync(variables.SKILLED_TEST_WORKERS, { recursive: true, force: true });
      await postgres?.[Symbol.asyncDispose]();
      rmSync(variables.SKILLED_TEST_FOLDER, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

// Builds the workers, because a worker that runs from source takes three times as long to start.
async function buildWorkers() {
  const root = path.join(import.meta.dirname, '..', '..');
  const folder = path.join(root, 'node_modules', '.cache', 'workers', String(process.pid));
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n');
  await bundleWorkers({ ...sharedOptions(root), outdir: path.join(folder, 'dist') });
  return folder;
}

function makePackage(variables) {
  const sourceMaps = process.env.NODE_V8_COVERAGE ? ['--source-maps'] : [];
  const env = { ...process.env, NODE_V8_COVERAGE: undefined };
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const program = path.join(import.meta.dirname, 'package.js');
    execFile(process.execPath, [program, ...sourceMaps], { env }, (error, stdout, stderr) => {
      if (error) return reject(new Error(`The package was not made: ${stderr || error.message}`));
      variables.SKILLED_TEST_PACKAGE = stdout.trim();
      console.log(`package: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
      resolve();
    });
  });
}
