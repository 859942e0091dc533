import type { Grant } from '../core/sandbox.ts';
import type { Skill } from '../core/skill.ts';
import { isWithin } from '../files/paths.ts';
import { realPath } from '../files/real-path.ts';

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

/**
 * Which folders of skills a sandbox shows from their copies. One that holds the granted workspace is not: a copy would
 * cover that too.
 */
export function copiesShown(
  folders: Iterable<readonly [folder: string, copy: string | undefined]>,
  workspace: string | undefined,
): Pick<Grant, 'from'> {
  const shown = [...folders].filter(
    ([folder, copy]) =>
      copy !== undefined && !(workspace !== undefined && isWithin(realPath(workspace), realPath(folder))),
  );
  return shown.length === 0 ? {} : { from: Object.fromEntries(shown) as Record<string, string> };
}
