import { childOf } from '../files/paths.ts';
import { statsOf } from './fingerprint.ts';

/** Whether a skill can run code that comes with it: its family says so of its descriptor, or it brings a folder of scripts. */
export function runsCode(
  { dir, loose = false }: { readonly dir: string; readonly loose?: boolean },
  familySays: boolean,
): boolean {
  if (familySays || dir === '' || loose) return familySays;
  return statsOf(childOf(dir, 'scripts'))?.isDirectory() === true;
}
