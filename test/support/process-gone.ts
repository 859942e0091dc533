import { existsSync, readFileSync } from 'node:fs';
import { until } from './deadline.ts';

/** Resolves when a process has ended; one that is dead and waits for nobody but its parent has. */
export function gone(id: number): Promise<void> {
  return until(() => !isAlive(id), `the end of process ${id}`);
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    const status = `/proc/${id}/status`;
    return !existsSync(status) || !/^State:\s+[ZX]/m.test(readFileSync(status, 'utf8'));
  } catch {
    return false; // it is gone, or went while it was looked at
  }
}
