import { parentPort, workerData } from 'node:worker_threads';
import { toErrorData } from '../core/error.ts';
import { grepFiles } from './grep-files.ts';
import type { GrepQuery } from './grep.ts';

// Runs one search per thread, so that an endless search can be stopped by terminating its thread.
try {
  parentPort?.postMessage({ found: grepFiles(workerData as GrepQuery) });
} catch (thrown) {
  parentPort?.postMessage({ error: toErrorData(thrown) });
}
