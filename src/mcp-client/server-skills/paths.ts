import { hasHiddenCharacters } from '../../core/index.ts';

/** The file in each mounted bundle that records the bundle's origin. Servers cannot provide this file. */
export const originFile = '.server-origin.json';

/**
 * Maps the addresses of a skill's files to relative paths, or returns the reason one is rejected. File names
 * from a server are untrusted. Every path must stay inside the skill's folder, be valid on every file system,
 * and be unique.
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

/** Returns an address's decoded path relative to a root address, or undefined if it is outside the root. */
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
    return undefined; // The text is not a valid address or cannot be decoded.
  }
}

const longestPath = 400; // The maximum length in bytes. Such a path fits into any usual cache folder.
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

/** Records a file and its folders. Returns false if their names could conflict on some file system. */
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
