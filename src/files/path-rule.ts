import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Json, InputParts } from '../core/index.ts';
import { isMatch, mayMatchAround, patternOf, type IgnorePattern } from './ignore-rules.ts';
import { isWithin, resolveExisting } from './paths.ts';

/** Returns whether searching a folder or file may read paths that match a permission rule. */
export function searchMayTouch(spec: string, path: string, workspace: string): boolean {
  const isOne = isFile(resolve(workspace, path));
  return isOne ? isMeantBy(spec, path, workspace) : mayHoldMeant(spec, path, workspace);
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // A path that cannot be read is treated as a folder, because it may become one later.
  }
}

/**
 * Returns whether a permission rule's pattern, such as `src/**`, matches a workspace path. Matches only the
 * text of the path, like a line in an ignore file at the workspace root. A matching folder includes
 * everything in it.
 */
export function isMeantBy(spec: string, path: string, workspace: string): boolean {
  const names = namesOf(path, workspace);
  const pattern = patternIn(spec);
  if (names === undefined || pattern === undefined) return false;
  return names.some((_, index) => isMatch(pattern, names.slice(0, index + 1), index < names.length - 1));
}

/**
 * Returns whether a pattern covers all files of a search. Like `isMeantBy`, but `src/**` also matches
 * `src`.
 */
export function isSearchMeantBy(spec: string, path: string, workspace: string): boolean {
  const [, folder = '', end] = /^(.*?)(\/|\/\*\*?)$/s.exec(spec) ?? [];
  const isWhole = folder !== '' && isMeantBy(end === '/' ? folder : `/${folder}`, path, workspace);
  return isWhole || isMeantBy(spec, path, workspace);
}

/**
 * Returns whether a pattern could match a folder, its parents or its contents, even ones that do not exist.
 */
export function mayHoldMeant(spec: string, folder: string, workspace: string): boolean {
  const names = namesOf(folder, workspace);
  const pattern = patternIn(spec);
  if (names === undefined || pattern === undefined) return false;
  return mayMatchAround(
    pattern,
    names.filter((name) => name !== ''),
  );
}

/**
 * Returns the components of a path relative to the workspace, or one empty component for the workspace
 * itself. Returns undefined for paths outside the workspace.
 */
function namesOf(path: string, workspace: string): readonly string[] | undefined {
  const away = relative(workspace, resolve(workspace, path));
  const names = away.split(sep);
  return names[0] === '..' || isAbsolute(away) ? undefined : names;
}

function patternIn(spec: string): IgnorePattern | undefined {
  const pattern = spec.startsWith('//') ? undefined : patternOf(spec.replace(/^\.\//, '/'));
  return pattern?.isNegated === true ? undefined : pattern;
}

/** Returns the input that permission rules check, with the path replaced by its real target. */
export function realParts(path: string, workspace: string, inputFor: (target: string) => Json): InputParts {
  const target = realTarget(path, workspace);
  if (target === undefined) return { parts: [], areAll: false };
  return { parts: [inputFor(target)], areAll: true, offer: beside(target) };
}

/**
 * Returns the rule pattern to suggest for a file: all files in its folder or, at the workspace root, only the
 * file itself.
 */
function beside(target: string): string {
  if (isAbsolute(target)) return target;
  const folder = dirname(target);
  return folder === '.' ? `/${target}` : `/${folder}/*`;
}

/**
 * Returns a path's target after following links: relative to the real workspace, or absolute if it is
 * outside. Missing components at the end are kept. Returns undefined if the links cannot be resolved.
 */
function realTarget(path: string, workspace: string): string | undefined {
  try {
    const root = realpathSync.native(workspace);
    const { real, missing } = resolveExisting(resolve(workspace, path));
    const target = join(real, ...missing);
    return isWithin(target, root) ? relative(root, target) || '.' : target;
  } catch {
    return undefined; // Opening the path will fail with the same error.
  }
}
