import { parentPort, workerData } from 'node:worker_threads';
import { toErrorData } from '../core/error.ts';
import { grepFiles } from './grep-files.ts';
import type { GrepQuery } from './grep.ts';

// One search per thread: it can be ended from outside, whatever the expression does.
try {
  parentPort?.postMessage({ found: grepFiles(workerData as GrepQuery) });
} catch (thrown) {
  parentPort?.postMessage({ error: toErrorData(thrown) });
}
