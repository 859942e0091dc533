import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Json, Parts } from '../core/index.ts';
import { isMatch, mayMatchAround, patternOf, type IgnorePattern } from './ignore-rules.ts';
import { isWithin, standingOf } from './paths.ts';

/** Whether a search could come upon what a permission rule means: in a folder anywhere below it, of a file only itself. */
export function searchMayTouch(spec: string, path: string, workspace: string): boolean {
  const isOne = isFile(resolve(workspace, path));
  return isOne ? isMeantBy(spec, path, workspace) : mayHoldMeant(spec, path, workspace);
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // what cannot be looked at may come to be a folder
  }
}

/**
 * Whether the pattern of a permission rule, such as `src/**`, means a path of the workspace: by the letters of the
 * path, and as a line of an ignore file at the top of the workspace would. What lies in a folder that is meant is meant.
 */
export function isMeantBy(spec: string, path: string, workspace: string): boolean {
  const names = namesOf(path, workspace);
  const pattern = patternIn(spec);
  if (names === undefined || pattern === undefined) return false;
  return names.some((_, index) => isMatch(pattern, names.slice(0, index + 1), index < names.length - 1));
}

/** The same for a folder that is searched, all of which has to be meant: `src/**` means `src` then. */
export function isSearchMeantBy(spec: string, path: string, workspace: string): boolean {
  const [, folder = '', end] = /^(.*?)(\/|\/\*\*?)$/s.exec(spec) ?? [];
  const isWhole = folder !== '' && isMeantBy(end === '/' ? folder : `/${folder}`, path, workspace);
  return isWhole || isMeantBy(spec, path, workspace);
}

/** Whether a folder could hold something that is meant, or lie in it, whatever is on the disk. */
export function mayHoldMeant(spec: string, folder: string, workspace: string): boolean {
  const names = namesOf(folder, workspace);
  const pattern = patternIn(spec);
  if (names === undefined || pattern === undefined) return false;
  return mayMatchAround(
    pattern,
    names.filter((name) => name !== ''),
  );
}

/** The names from the workspace down to a path; an empty one for the workspace itself, undefined for what lies outside. */
function namesOf(path: string, workspace: string): readonly string[] | undefined {
  const away = relative(workspace, resolve(workspace, path));
  const names = away.split(sep);
  return names[0] === '..' || isAbsolute(away) ? undefined : names;
}

function patternIn(spec: string): IgnorePattern | undefined {
  const pattern = spec.startsWith('//') ? undefined : patternOf(spec.replace(/^\.\//, '/'));
  return pattern?.isNegated === true ? undefined : pattern;
}

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
