import { existsSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { AgentError } from '../core/error.ts';
import type { Grant } from '../core/sandbox.ts';
import { outside } from '../files/area.ts';
import { fileFault } from '../files/file-fault.ts';
import { holdFile, holdFolder, isInAny, type Held } from '../files/held.ts';
import { below, isWithin } from '../files/paths.ts';
import { findRealPath, realPath } from '../files/real-path.ts';
import { holdKept, holdReadOnly } from './kept-places.ts';
import { systemFolders } from './system-mounts.ts';

/** A folder or a single file that is shown in a sandbox, open: whatever its path comes to mean, this one is shown. */
export interface GrantedFolder extends Held {
  readonly isWritable: boolean;
}

/** What a grant shows of the host; who has it closes it. */
export interface GrantedFolders extends Disposable {
  /** At their real paths, outer ones before those in them. */
  readonly folders: readonly GrantedFolder[];
  /** Other spellings of those paths, as they were granted. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

/**
 * Opens what a grant names, as far as it exists: folders, and single files to read. One that lies in a folder that may be
 * written, and leads out of it, is refused: who writes there could have made the link. So is one in which the sandbox
 * has folders of its own. A folder with a copy is shown from that, with everything that is granted below it. `readOnly`
 * are real paths in folders that may be written, which may not.
 */
export function holdGranted(
  grant: Pick<Grant, 'read' | 'write' | 'keep' | 'hide' | 'from'>,
  readOnly: readonly string[] = [],
): GrantedFolders {
  const { read, write, from = {} } = grant;
  const writable = new Set(write.map((folder) => resolve(folder)));
  const asked = new Set([...writable, ...read.map((folder) => resolve(folder))]);
  const folders = new Map<string, GrantedFolder>();
  const links: { path: string; target: string }[] = [];
  const close = (): void => {
    for (const folder of folders.values()) folder[Symbol.dispose]();
  };
  try {
    for (const path of asked) {
      const held = holdOne(path, [...writable], writable.has(path));
      if (held === undefined) continue;
      if (
        held.path !== path &&
        !isInAny(
          [...asked].filter((other) => other !== path),
          path,
        )
      ) {
        links.push({ path, target: held.path });
      }
      if (folders.has(held.path)) held[Symbol.dispose]();
      else folders.set(held.path, held);
    }
    for (const place of holdKept(grant, findRealPath)) {
      folders.get(place.path)?.[Symbol.dispose]();
      folders.set(place.path, place);
    }
    for (const path of readOnly) {
      if (folders.get(path)?.isWritable === false) continue;
      const place = holdReadOnly(path);
      if (place === undefined) continue;
      folders.get(path)?.[Symbol.dispose]();
      folders.set(path, place);
    }
    for (const [path, copy] of Object.entries(from)) showCopy(folders, path, copy, grant);
  } catch (thrown) {
    close();
    throw thrown;
  }
  const depth = ({ path }: Held): number => path.split(sep).length;
  const inOrder = [...folders.values()].sort((one, other) => depth(one) - depth(other));
  return { folders: inOrder, links, [Symbol.dispose]: close };
}

/** Puts a copy over a folder, and over all that is shown in it: nothing of the folder itself is left, and what is hidden stays so. */
function showCopy(
  folders: Map<string, GrantedFolder>,
  path: string,
  copy: string,
  { write, hide = [] }: Pick<Grant, 'write' | 'hide'>,
): void {
  const real = findRealPath(resolve(path));
  if (real === undefined || write.some((folder) => isWithin(realPath(resolve(folder)), real)))
    throw notShown(path);
  const hidden = new Set(hide.map((file) => realPath(resolve(file))));
  for (const [inside, held] of folders) {
    if (!isWithin(inside, real)) continue;
    if (hidden.has(inside) && existsSync(join(copy, below(real, inside)))) continue;
    held[Symbol.dispose]();
    folders.delete(inside);
  }
  folders.set(real, { ...holdFolder([copy], copy, copy), path: real, isWritable: false });
}

function notShown(path: string): AgentError {
  return new AgentError('sandbox.unavailable', `The copy of ${path} cannot be shown there.`, {
    hint: 'Run it again.',
  });
}

/** Undefined for what is not there, or is there in every sandbox. */
function holdOne(path: string, writable: readonly string[], isWritable: boolean): GrantedFolder | undefined {
  const real = findRealPath(path);
  if (real === undefined || (!isWritable && isInAny(systemFolders, real))) return undefined;
  const around = writable.filter((folder) => folder !== path && isWithin(path, folder));
  const roots = around.flatMap((folder) => findRealPath(folder) ?? []);
  const held = open(roots.length === 0 ? [real] : roots, real, path, isWritable);
  const own = ownFolders.find((folder) => isWithin(folder, held.path));
  if (own === undefined && held.path === real) return { ...held, isWritable };
  held[Symbol.dispose]();
  throw own === undefined ? outside(path) : containsSystem(path, own);
}

function open(roots: readonly string[], real: string, path: string, isWritable: boolean): Held {
  try {
    const isFile = !isWritable && statSync(real).isFile();
    return isFile ? holdFile(roots, real, path) : holdFolder(roots, real, path);
  } catch (thrown) {
    throw fileFault(thrown, path);
  }
}

const ownFolders = [...systemFolders, '/etc', '/proc', '/dev', '/sys', '/run'];

function containsSystem(path: string, own: string): AgentError {
  return new AgentError('policy.denied', `"${path}" cannot be given to a sandbox: it has its own ${own}.`, {
    hint: 'Grant the folders that are needed, one by one.',
  });
}
