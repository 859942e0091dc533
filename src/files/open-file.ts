import { lstatSync, readdirSync } from 'node:fs';
import { AgentError } from '../core/error.ts';
import { didYouMean } from '../core/names.ts';
import { fileFault } from './file-fault.ts';
import {
  checkRegular,
  childBehind,
  holdFile,
  holdFolder,
  isInAny,
  realRoots,
  type OpenHandle,
} from './file-handle.ts';
import { locate, outside, shownPath, standingOf, type Area, type Standing } from './paths.ts';

/** An open file with the path to show for it. */
export interface OpenFile extends OpenHandle {
  readonly shown: string;
}

/** Opens a regular file of the area for reading, through links that stay in it. */
export function openFile(area: Area, path: string): OpenFile {
  const { roots, real, shown } = resolveInside(area, path);
  try {
    checkRegular(lstatSync(real), shown); // before it is opened: opening a device may do something
    return { ...holdFile(roots, real, shown), shown };
  } catch (thrown) {
    throw fileFault(thrown, shown);
  }
}

/** Something in an area that exists. */
interface Resolved {
  /** The folders of the area that it may be in, real paths. */
  readonly roots: readonly string[];
  /** Its own real path; it was inside a moment ago, so what is opened by it is checked again. */
  readonly real: string;
  readonly shown: string;
}

/** Follows a path that somebody gave; throws when it leads out, and with the names that are like it when it leads nowhere. */
export function resolveInside(area: Area, path: string): Resolved {
  const located = locate(area, path);
  const shown = shownPath(area, located);
  try {
    const { roots, real, missing } = standInside(area, located, shown);
    if (missing.length > 0) throw notFound(roots, real, missing, shown);
    return { roots, real, shown };
  } catch (thrown) {
    throw fileFault(thrown, shown);
  }
}

const mostCompared = 1000; // names; comparing takes its time, and a folder may have millions

/** What to say of a path of which only the beginning is there. */
function notFound(
  roots: readonly string[],
  real: string,
  [name = '', ...more]: readonly string[],
  shown: string,
): AgentError {
  using folder = holdFolder(roots, real, shown);
  const names = readdirSync(childBehind(folder, '.'));
  if (names.includes(name)) {
    return new AgentError('usage.not-found', `"${shown}" leads to a link that leads nowhere.`, {
      hint: 'Use the path of the file itself.',
    });
  }
  const what =
    more.length === 0 ? `There is no "${shown}"` : `There is no "${name}" on the way to "${shown}"`;
  return new AgentError('usage.not-found', `${what}.`, {
    hint: didYouMean(name, names.slice(0, mostCompared)) ?? 'Look for it with glob.',
  });
}

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
