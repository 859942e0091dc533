import { outside, type Area } from './area.ts';
import { isInAny, realRoots } from './held.ts';
import { standingOf, type Standing } from './standing.ts';

/** How far a path leads within an area, and the folders of it that it may be in; throws when that is outside. */
export function standInside(
  area: Area,
  located: string,
  shown: string,
): Standing & { readonly roots: readonly string[] } {
  const roots = realRoots(area, located);
  const standing = standingOf(located);
  if (!isInAny(roots, standing.real)) throw outside(shown);
  return { roots, ...standing };
}
