import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { childOf, findRealPath } from '../../files/index.ts';

/** The kernel's list of open Unix sockets in this network namespace. */
export interface OpenSockets {
  /**
   * Returns whether a program may have opened a socket with this file name. Programs can rename folders, so
   * only file names are compared. Returns true if this user cannot read the list.
   */
  hasName(name: string): boolean;
  /**
   * Returns the real paths of the sockets to which programs can connect, if their folders exist. `unknown`
   * contains the names of sockets that could not be located. Undefined if this user cannot read the list.
   */
  locate(): { readonly paths: readonly string[]; readonly unknown: readonly string[] } | undefined;
}

/** Reads the kernel's list of open sockets once. Never throws. */
export function readOpenSockets(text = readSocketList()): OpenSockets {
  return {
    // OpenSSH first opens a socket under a longer name, which starts with the final name and a dot.
    hasName: (name) =>
      text === undefined ||
      ['/', ' '].some((before) => ['\n', '.'].some((after) => text.includes(`${before}${name}${after}`))),
    locate: () => (text === undefined ? undefined : locate(text)),
  };
}

/** Returns the kernel's list as text, with one socket per line, or undefined if this user cannot read it. */
export function readSocketList(): string | undefined {
  try {
    return readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return undefined;
  }
}

// The columns before the path are: address, references, protocol, flags, type, state, inode.
const line = /^\S+ +\S+ +\S+ +\S+ +(\S+) +(\S+) +(\d+) (.+)$/gm;
const datagram = '0002';
const connected = '03';

function locate(text: string): { readonly paths: readonly string[]; readonly unknown: readonly string[] } {
  const paths: string[] = [];
  const relative = new Map<string, string>();
  for (const [, type, state, inode = '', name = ''] of text.matchAll(line)) {
    // Skip names that start with @, which are not files, and a server's connections, which repeat its name.
    if (name.startsWith('@') || (state === connected && type !== datagram)) continue;
    if (name.startsWith('/') && !name.includes('\u{fffd}')) paths.push(...realPathOf(name));
    else relative.set(inode, name);
  }
  if (relative.size > 0) paths.push(...locateByOwner(relative));
  return { paths, unknown: [...relative.values()] };
}

function realPathOf(path: string): readonly string[] {
  const folder = findRealPath(dirname(path));
  return folder === undefined ? [] : [childOf(folder, basename(path))];
}

/**
 * Looks for relative names in the working folders of the processes that have the sockets open. `relative`
 * contains the names, keyed by inode. Removes the sockets that it finds from `relative`.
 */
function locateByOwner(relative: Map<string, string>): readonly string[] {
  const paths: string[] = [];
  for (const id of listOrNone('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const handle of listOrNone(`/proc/${id}/fd`)) {
      const [, inode = ''] = /^socket:\[(\d+)\]$/.exec(linkAt(`/proc/${id}/fd/${handle}`)) ?? [];
      const name = relative.get(inode);
      const path = name === undefined ? undefined : pathForProcess(id, name);
      if (path === undefined) continue;
      paths.push(...realPathOf(path));
      relative.delete(inode);
    }
    if (relative.size === 0) return paths;
  }
  return paths;
}

/**
 * Returns a socket's path, or undefined if that path leads to a different file for this process than for
 * the given one.
 */
function pathForProcess(id: string, name: string): string | undefined {
  const folder = linkAt(`/proc/${id}/cwd`);
  const path = join(folder, name);
  const [there, here] = [`/proc/${id}/cwd/${name}`, path].map((one) => {
    try {
      return lstatSync(one);
    } catch {
      return undefined;
    }
  });
  const isSame = there?.isSocket() === true && there.ino === here?.ino && there.dev === here.dev;
  return folder.startsWith('/') && isSame ? path : undefined;
}

function listOrNone(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // The process has ended, or belongs to another user.
  }
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
