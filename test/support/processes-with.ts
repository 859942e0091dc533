import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns the ids of other processes whose command line contains the text. If `program` is given, returns
 * only processes that run it.
 */
export function processesWith(text: string, program?: string): readonly number[] {
  const others = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return others.filter((id) => {
    if (id === process.pid) return false;
    try {
      const line = readFileSync(`/proc/${id}/cmdline`, 'utf8');
      return line.includes(text) && (program === undefined || line.split('\0')[0] === program);
    } catch {
      return false; // the process has just exited
    }
  });
}
