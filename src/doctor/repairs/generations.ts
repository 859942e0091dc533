import { existsSync, lstatSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { generationFolder, stagingName } from '../../core/family.ts';
import type { Repair } from '../repair.ts';
import { namesIn } from './names-in.ts';

const day = 86_400_000;

/**
 * Copies of skills in which a process that was killed made code, more than a day ago. One whose code was just taking
 * the place of the old is left alone: the next use of the skill finishes that.
 */
export function generationRepairs(
  skills: readonly { readonly dir: string }[],
  now: number,
): readonly Repair[] {
  const dirs = [...new Set(skills.map(({ dir }) => dir))].filter((dir) => dir !== '');
  return dirs.flatMap((dir) => {
    const around = join(dirname(dir), generationFolder);
    const place = join(around, basename(dir));
    if (!isFolder(around) || !isFolder(place) || existsSync(join(place, 'swap.json'))) return [];
    return namesIn(place)
      .filter((name) => stagingName.test(name))
      .map((name) => join(place, name))
      .filter((copy) => isFolder(copy) && now - lstatSync(copy).mtimeMs > day)
      .map((copy) => ({
        id: 'generation',
        what: `${copy} was left by a generation that was killed`,
        done: `${copy} removed`,
        mend: () => rmSync(copy, { recursive: true, force: true }),
      }));
  });
}

/** A link could lead anywhere. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
