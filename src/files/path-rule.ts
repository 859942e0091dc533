import { isAbsolute, relative, resolve, sep } from 'node:path';
import { isMatch, mayMatchAround, patternOf, type IgnorePattern } from './ignore-pattern.ts';

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
