import { readdirSync, readFileSync } from 'node:fs';

/** The ids of the other processes that carry a mark on their command line, dead ones left out. */
export function carriers(mark: string): readonly string[] {
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id) || id === String(process.pid)) return false;
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false; // it is gone
    }
  });
}
