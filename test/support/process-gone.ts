import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Whether a process ends within two seconds; one that is dead and waits for nobody but its parent has ended. */
export async function isGone(id: number): Promise<boolean> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (!isAlive(id)) return true;
    await wait(10);
  }
  return false;
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
