import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Json } from '../core/json.ts';
import type { Parts } from '../core/policy.ts';
import { isWithin } from './paths.ts';
import { standingOf } from './standing.ts';

/** An input that names one path as permission rules see it: the input for the place to which the path really leads. */
export function realParts(path: string, workspace: string, inputFor: (place: string) => Json): Parts {
  const place = realPlace(path, workspace);
  if (place === undefined) return { parts: [], areAll: false };
  return { parts: [inputFor(place)], areAll: true, offer: beside(place) };
}

/** The rule for a file is offered for those in the same folder; a file of the workspace itself stands for itself. */
function beside(place: string): string {
  if (isAbsolute(place)) return place;
  const folder = dirname(place);
  return folder === '.' ? `/${place}` : `/${folder}/*`;
}

/**
 * Where a path leads when its links are followed: relative to the real workspace, or absolute when that is outside. Of
 * what does not exist, the names after the last folder that does are kept. Undefined when the path cannot be followed.
 */
function realPlace(path: string, workspace: string): string | undefined {
  try {
    const root = realpathSync.native(workspace);
    const { real, missing } = standingOf(resolve(workspace, path));
    const place = join(real, ...missing);
    return isWithin(place, root) ? relative(root, place) || '.' : place;
  } catch {
    return undefined; // whoever opens it fails in the same way
  }
}
