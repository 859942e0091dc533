import { hasHiddenCharacters } from '../core/index.ts';

/**
 * Checks the relative paths of a bundle from an untrusted source, one after the other. Each path must be
 * unique, inside the bundle, and valid on every file system.
 */
export interface BundlePaths {
  /** Reserves a path. Returns the reason if it is rejected, as the end of a sentence. */
  add(path: string): string | undefined;
}

/** Creates the check for the paths of one bundle. `reserved` is a file name that the source cannot use. */
export function createBundlePaths(reserved?: string): BundlePaths {
  const taken = new Map<string, 'file' | 'folder'>();
  return {
    add(path) {
      const fault = pathFault(path, reserved);
      if (fault !== undefined) return `the path ${shownName(path)} ${fault}`;
      return takePath(taken, path) ? undefined : `the path ${shownName(path)} occurs twice, ignoring case`;
    },
  };
}

/** Returns an untrusted name as a short JSON string, for messages. */
export function shownName(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}

// The maximum length of a path, in bytes. It leaves enough space for the path of the folder around it.
const longestPath = 400;
const longestPart = 200;
const deepest = 32;
const reservedNames = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

function pathFault(path: string, reserved: string | undefined): string | undefined {
  if (Buffer.byteLength(path) > longestPath) return 'is too long';
  if (/[\\<>:"|?*]/.test(path)) return 'contains a character that some file systems do not allow';
  if (hasHiddenCharacters(path) || /[\t\n\r]/.test(path) || !path.isWellFormed()) {
    return 'contains invisible characters';
  }
  const parts = path.split('/');
  if (parts.length > deepest) return 'has too many folders';
  return parts.map((part) => partFault(part, reserved)).find((fault) => fault !== undefined);
}

function partFault(part: string, reserved: string | undefined): string | undefined {
  if (part === '' || part === '.' || part === '..') return 'leaves its folder';
  if (Buffer.byteLength(part) > longestPart) return 'is too long';
  if (reservedNames.test(part) || /[. ]$/.test(part)) return 'is reserved on some file systems';
  if (keyOf(part) === '.git') return 'is reserved for git';
  if (reserved !== undefined && keyOf(part) === reserved) return 'is reserved for the origin of the skill';
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
