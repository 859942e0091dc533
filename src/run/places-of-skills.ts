import { dirname, join, sep } from 'node:path';
import { generationFolder } from '../core/generation-folder.ts';
import type { Skill } from '../core/skill.ts';

/** Where skills lie in the workspace: their roots, or they themselves where the root is more than that; and where their code is made. */
export function placesOfSkills(skills: readonly Skill[], workspace: string): readonly string[] {
  const isInside = (path: string): boolean => path.startsWith(`${workspace}${sep}`);
  return skills
    .flatMap(({ root, dir }) => [isInside(root) ? root : dir, join(dirname(dir), generationFolder)])
    .filter(isInside);
}
