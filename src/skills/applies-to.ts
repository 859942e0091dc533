import { isAbsolute, relative, resolve, sep } from 'node:path';
import { globPattern, type GlobPattern } from '../files/glob-pattern.ts';

/** Whether one of the files is one of those that a skill is for; patterns start at the workspace, one without a slash anywhere in it. */
export function appliesTo(patterns: readonly string[], files: readonly string[], workspace: string): boolean {
  const globs = patterns.map(patternOf).filter((glob) => glob !== undefined);
  return files.some((file) => {
    const away = relative(workspace, resolve(workspace, file));
    const names = away.split(sep);
    if (names[0] === '..' || isAbsolute(away)) return false;
    return globs.some((glob) => isMatch(glob, names));
  });
}

/** Undefined for one that cannot mean anything. */
function patternOf(written: string): GlobPattern | undefined {
  const text = written.trim().replace(/^\.?\/+/, '');
  if (text === '') return undefined;
  const anywhere = /\/./.test(text) ? text : `**/${text}`;
  try {
    return globPattern(anywhere.endsWith('/') ? `${anywhere}**` : anywhere, true);
  } catch {
    return undefined; // it stands for no file
  }
}

function isMatch(glob: GlobPattern, names: readonly string[]): boolean {
  const folders = names.slice(0, -1).reduce((reached, name) => glob.enter(reached, name), glob.start);
  return glob.fits(folders, names.at(-1) ?? '');
}
