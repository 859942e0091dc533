import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '../core/error.ts';

/** Why a folder could not be made, in words: of some places that can only be read the system says that there is no such file. */
export function whyUnwritable(folder: string, thrown: unknown): string {
  const place = nearestThere(folder);
  try {
    accessSync(place, constants.W_OK);
    return reasonOf(thrown);
  } catch {
    return `${place} can only be read`;
  }
}

function nearestThere(path: string): string {
  const above = dirname(path);
  return existsSync(path) || above === path ? path : nearestThere(above);
}
