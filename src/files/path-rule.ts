import { isAbsolute, relative, resolve, sep } from 'node:path';
import { isMatch, patternOf } from './ignore-pattern.ts';

/**
 * Whether the pattern of a permission rule, such as `src/**`, means a path of the workspace: by the letters of the
 * path, and as a line of an ignore file at the top of the workspace would. What lies in a folder that is meant is meant.
 */
export function isMeantBy(spec: string, path: string, workspace: string): boolean {
  const away = relative(workspace, resolve(workspace, path));
  const names = away.split(sep);
  if (names[0] === '..' || isAbsolute(away) || spec.startsWith('//')) return false;
  const pattern = patternOf(spec.replace(/^\.\//, '/'));
  if (pattern === undefined || pattern.isNegated) return false;
  return names.some((_, index) => isMatch(pattern, names.slice(0, index + 1), index < names.length - 1));
}

/** The same for a folder that is searched, all of which has to be meant: `src/**` means `src` then. */
export function isSearchMeantBy(spec: string, path: string, workspace: string): boolean {
  const [, folder = '', end] = /^(.*?)(\/|\/\*\*?)$/s.exec(spec) ?? [];
  const isWhole = folder !== '' && isMeantBy(end === '/' ? folder : `/${folder}`, path, workspace);
  return isWhole || isMeantBy(spec, path, workspace);
}
