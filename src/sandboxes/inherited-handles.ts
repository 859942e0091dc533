import { readdirSync, readFileSync } from 'node:fs';

let known: readonly number[] | undefined;

/**
 * Handles that whoever started this process left open in it and that it would pass on to its children: a folder among
 * them would be a way out of every sandbox. Found once; what Node opens later is never passed on by itself.
 */
export function inheritedHandles(): readonly number[] {
  known ??= readdirSync('/proc/self/fd').map(Number).filter(isPassedOn);
  return known;
}

const closedWithProgram = 0o2000000;

function isPassedOn(handle: number): boolean {
  if (handle <= 2) return false;
  try {
    const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${handle}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & closedWithProgram) === 0;
  } catch {
    return false; // it was the one that the folder was listed with
  }
}
