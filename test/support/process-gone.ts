import { existsSync, readFileSync } from 'node:fs';
import { until } from './deadline.ts';

/** Resolves when a process has exited. A zombie that only its parent can reap counts as exited. */
export function gone(id: number): Promise<void> {
  return until(() => !isAlive(id), `the end of process ${id}`);
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    const status = `/proc/${id}/status`;
    return !existsSync(status) || !/^State:\s+[ZX]/m.test(readFileSync(status, 'utf8'));
  } catch {
    return false; // the process is gone, or exited during the check
  }
}
