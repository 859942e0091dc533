import { hasHiddenCharacters } from '../../core/index.ts';

/** The file in a mounted bundle that records the bundle's origin. Servers cannot provide this file. */
export const originFile = '.server-origin.json';

/**
 * Maps the URIs of a skill's files to relative paths. Returns a reason if one of the paths is rejected. The
 * URIs are not trusted: each path must be unique, inside the skill's folder, and valid on every file system.
 */
export function readSkillPaths(root: string, uris: readonly string[]): ReadonlyMap<string, string> | string {
  const paths = new Map<string, string>();
  const taken = new Map<string, 'file' | 'folder'>();
  for (const uri of uris) {
    const path = pathBelow(root, uri);
    if (path === undefined) return `the file ${shown(uri)} is not in the skill's folder`;
    const fault = pathFault(path);
    if (fault !== undefined) return `the path ${shown(path)} ${fault}`;
    if (!takePath(taken, path)) return `the path ${shown(path)} occurs twice, ignoring case`;
    paths.set(uri, path);
  }
  return paths;
}

/** Returns the decoded path of a URI relative to `root`, or undefined if the URI is not below `root`. */
function pathBelow(root: string, uri: string): string | undefined {
  try {
    const { href } = new URL(uri);
    if (/[?#]/.test(href) || !href.startsWith(`${root}/`)) return undefined;
    const parts = href
      .slice(root.length + 1)
      .split('/')
      .map((part) => decodeURIComponent(part));
    return parts.some((part) => part.includes('/')) ? undefined : parts.join('/');
  } catch {
    return undefined; // The text is not a valid URI, or its path cannot be decoded.
  }
}

// The maximum length of a path, in bytes. It leaves enough space for the path of the cache folder.
const longestPath = 400;
const longestPart = 200;
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

function pathFault(path: string): string | undefined {
  if (Buffer.byteLength(path) > longestPath) return 'is too long';
  if (/[\\<>:"|?*]/.test(path)) return 'contains a character that some file systems do not allow';
  if (hasHiddenCharacters(path) || /[\t\n\r]/.test(path) || !path.isWellFormed()) {
    return 'contains invisible characters';
  }
  return path
    .split('/')
    .map(partFault)
    .find((fault) => fault !== undefined);
}

function partFault(part: string): string | undefined {
  if (part === '' || part === '.' || part === '..') return 'leaves its folder';
  if (Buffer.byteLength(part) > longestPart) return 'is too long';
  if (reserved.test(part) || /[. ]$/.test(part)) return 'is reserved on some file systems';
  if (keyOf(part) === originFile) return 'is reserved for the origin of the skill';
  return undefined;
}

/**
 * Reserves the path of a file and the paths of its folders. Returns false if one of these paths conflicts
 * with a reserved path on some file systems.
 */
function takePath(taken: Map<string, 'file' | 'folder'>, path: string): boolean {
  const parts = keyOf(path).split('/');
  for (let count = 1; count < parts.length; count++) {
    const folder = parts.slice(0, count).join('/');
    if (taken.get(folder) === 'file') return false;
    taken.set(folder, 'folder');
  }
  const file = parts.join('/');
  if (taken.has(file)) return false;
  taken.set(file, 'file');
  return true;
}

function keyOf(path: string): string {
  return path.normalize('NFKC').toLowerCase();
}

function shown(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}
