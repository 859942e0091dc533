import type { Skill } from '../core/skill.ts';

/** All that belongs to a skill: its folder, or its file where that is a single one among others; undefined for one made in code. */
export function placeOf({
  dir,
  file,
  loose = false,
}: Skill & { readonly loose?: boolean }): string | undefined {
  const place = loose ? file : dir;
  return place === '' ? undefined : place;
}

/** The folder of a skill; the one around a single file is not its own. */
export function folderOf(skill: Skill & { readonly loose?: boolean }): string | undefined {
  return skill.loose === true ? undefined : placeOf(skill);
}
