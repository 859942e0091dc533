import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns the ids of the other processes whose command line contains the mark. Processes that have exited are
 * excluded.
 */
export function carriers(mark: string): readonly string[] {
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id) || id === String(process.pid)) return false;
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false; // the process has exited
    }
  });
}
