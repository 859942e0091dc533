import { hasHiddenCharacters } from '../../core/index.ts';

/** The file that says in each mounted bundle where it comes from; no server can bring one. */
export const originFile = '.server-origin.json';

/**
 * The paths of the files of a skill below its folder, by their address, or what is wrong with one of them. What a server
 * calls its files is hostile: every path stays below the folder, means one file on every kind of disk, and is no twin.
 */
export function readSkillPaths(root: string, uris: readonly string[]): ReadonlyMap<string, string> | string {
  const paths = new Map<string, string>();
  const taken = new Map<string, 'file' | 'folder'>();
  for (const uri of uris) {
    const path = pathBelow(root, uri);
    if (path === undefined) return `the file ${shown(uri)} does not lie in its folder`;
    const fault = pathFault(path);
    if (fault !== undefined) return `the path ${shown(path)} ${fault}`;
    if (!takePath(taken, path)) return `the path ${shown(path)} is there twice, letter case aside`;
    paths.set(uri, path);
  }
  return paths;
}

/** The decoded path of an address below another one; undefined where it is none. */
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
    return undefined; // no address, or not decodable
  }
}

const longestPath = 400; // bytes, so that it fits below any usual cache folder
const longestPart = 200;
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

function pathFault(path: string): string | undefined {
  if (Buffer.byteLength(path) > longestPath) return 'is too long';
  if (/[\\<>:"|?*]/.test(path)) return 'holds a character that not every disk takes';
  if (hasHiddenCharacters(path) || /[\t\n\r]/.test(path) || !path.isWellFormed()) {
    return 'holds characters that cannot be seen';
  }
  return path
    .split('/')
    .map(partFault)
    .find((fault) => fault !== undefined);
}

function partFault(part: string): string | undefined {
  if (part === '' || part === '.' || part === '..') return 'does not stay in its folder';
  if (Buffer.byteLength(part) > longestPart) return 'is too long';
  if (reserved.test(part) || /[. ]$/.test(part)) return 'is reserved on some disks';
  if (keyOf(part) === originFile) return 'is reserved for where the skill comes from';
  return undefined;
}

/** Notes a file and the folders on its way; false where another one has a name that some disk takes for the same. */
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
