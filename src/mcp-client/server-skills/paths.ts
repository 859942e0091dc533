import { createBundlePaths, shownName } from '../../files/index.ts';

/** The file in a mounted bundle that records the bundle's origin. Servers cannot provide this file. */
export const originFile = '.server-origin.json';

/**
 * Maps the URIs of a skill's files to relative paths. Returns a reason if one of the paths is rejected. The
 * URIs are not trusted: each path must be unique, inside the skill's folder, and valid on every file system.
 */
export function readSkillPaths(root: string, uris: readonly string[]): ReadonlyMap<string, string> | string {
  const paths = new Map<string, string>();
  const checked = createBundlePaths(originFile);
  for (const uri of uris) {
    const path = pathBelow(root, uri);
    if (path === undefined) return `the file ${shownName(uri)} is not in the skill's folder`;
    const fault = checked.add(path);
    if (fault !== undefined) return fault;
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
