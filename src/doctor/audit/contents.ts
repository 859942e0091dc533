import { readdirSync, readlinkSync, type Dirent } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { targetOf } from '../../skills/discover/links.ts';
import type { Unread } from './unread.ts';

/** What lies in a bundle. */
export interface Contents {
  /** Regular files, sorted; whether each is a text shows when it is read. */
  readonly files: readonly string[];
  /** What is passed over; whoever reads the files adds to it. */
  readonly unread: Unread[];
}

const mostFiles = 2_000;
/** Folders whose content is made by programs. */
const passedOver = new Set(['node_modules', '.git']);

/** The files of a bundle, hidden ones too; links are not followed, and what is passed over is said. Never throws. */
export function contentsOf(path: string): Contents {
  const contents = { files: new Array<string>(), unread: new Array<Unread>() };
  const target = targetOf(path);
  if (target?.kind === 'file') contents.files.push(target.real);
  else if (target?.kind === 'folder') collect(resolve(path), target.real, contents);
  return contents;
}

function collect(
  bundle: string,
  real: string,
  { files, unread }: { files: string[]; unread: Unread[] },
): void {
  const folders = [bundle];
  for (const folder of folders) {
    for (const entry of entriesIn(folder, unread)) {
      const path = join(folder, entry.name);
      if (files.length + folders.length >= mostFiles) {
        unread.push({ file: bundle, why: 'too-many' });
        return;
      }
      if (entry.isSymbolicLink()) noteLink(path, real, unread);
      else if (entry.isFile()) files.push(path);
      else if (!entry.isDirectory()) unread.push({ file: path, why: 'no-file' });
      else if (passedOver.has(entry.name)) unread.push({ file: path, why: 'not-entered' });
      else folders.push(path);
    }
  }
}

function entriesIn(folder: string, unread: Unread[]): readonly Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    unread.push({ file: folder, why: 'unreadable' });
    return [];
  }
}

/** A link within the bundle leads to what is read anyway. */
function noteLink(path: string, bundle: string, unread: Unread[]): void {
  const real = targetOf(path)?.real;
  if (real === bundle || real?.startsWith(bundle + sep) === true) return;
  unread.push({ file: path, why: 'link-outside', target: real ?? writtenTarget(path) });
}

function writtenTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // gone meanwhile
  }
}
