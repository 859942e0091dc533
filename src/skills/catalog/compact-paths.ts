import { realpathSync } from 'node:fs';

/** Paths with the home folder, or its real path, as `~`; give `home` only where the reader resolves `~`. */
export function compactSkillPaths(paths: readonly string[], home: string | undefined): readonly string[] {
  return paths.map(compactor(home));
}

/** What does the same to one path after the other. */
export function compactor(home: string | undefined): (path: string) => string {
  const homes = home === undefined ? [] : [...new Set([home, realPath(home)])].flatMap(prefixOf);
  return (path) => compact(path, homes);
}

interface Prefix {
  readonly text: string;
  readonly isWindows: boolean;
}

/** A home as paths start with it; none for what is no folder below a root. */
function prefixOf(home: string): readonly Prefix[] {
  const isWindows = /^(?:[a-z]:[\\/]|\\\\)/i.test(home);
  const text = isWindows ? slashed(home).replace(/\/+$/, '') : home.replace(/\/+$/, '');
  const isBelowRoot = isWindows ? /^(?:[a-z]:|\/\/[^/]+\/[^/]+)\/./i.test(text) : /^\/./.test(text);
  return isBelowRoot ? [{ text, isWindows }] : [];
}

function compact(path: string, homes: readonly Prefix[]): string {
  for (const { text, isWindows } of homes) {
    const plain = isWindows ? slashed(path) : path;
    const start = plain.slice(0, text.length);
    const isSame = isWindows ? start.toLowerCase() === text.toLowerCase() : start === text;
    const rest = plain.slice(text.length);
    if (isSame && (rest === '' || rest.startsWith('/'))) return `~${rest}`;
  }
  return path;
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

function realPath(home: string): string {
  try {
    return realpathSync(home);
  } catch {
    return home; // it need not exist here
  }
}
