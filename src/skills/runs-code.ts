import type { Family } from '../core/family.ts';
import type { Skill } from '../core/skill.ts';
import { childOf } from '../files/paths.ts';
import { statsOf } from './fingerprint.ts';

/** Whether a skill can run code that comes with it: its family says so of what it made of it, or it brings a folder of scripts. */
export function runsCode(skill: Skill & { readonly loose?: boolean }, family: Family, definition: unknown): boolean {
  return family.runsCode?.(definition) === true || hasScripts(skill);
}

function hasScripts({ dir, loose }: Pick<Skill, 'dir'> & { readonly loose?: boolean }): boolean {
  if (dir === '' || loose === true) return false;
  return statsOf(childOf(dir, 'scripts'))?.isDirectory() === true;
}
