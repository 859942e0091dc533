import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { realPath } from '../files/real-path.ts';
import { openTrustBook, type TrustBook } from '../policy/trust-book.ts';
import { projectFiles, settingsFiles, type SettingsFile, type SettingsPlaces } from './settings-files.ts';

/** The files by which a project decides about whoever works in it, as they were when they were read. */
export interface ProjectState {
  /** As it was named. */
  readonly project: string;
  /** Real path. */
  readonly folder: string;
  /** Those that are there, with their bytes. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Where a user's trust is kept; nowhere without a folder of their own. */
export function trustFileIn(userFolder: string | undefined): string | undefined {
  return userFolder === undefined ? undefined : join(userFolder, 'trust.json');
}

/** The user's trust book; one that is empty and forgets where there is no place for it. */
export function userTrustBook({ userFolder }: Pick<SettingsPlaces, 'userFolder'>): TrustBook {
  return openTrustBook(trustFileIn(userFolder));
}

/** The project that settings are read from, with the files that its trust is bound to; undefined outside of any. */
export function projectState(places: SettingsPlaces): ProjectState | undefined {
  const file = settingsFiles(places).find(({ layer }) => layer === 'project');
  return file === undefined ? undefined : stateOf(dirname(dirname(file.file)));
}

/** The files of a project's folder that its trust is bound to. */
export function stateOf(project: string): ProjectState {
  const paths = [...projectFiles(project).map(({ file }) => file), join(project, '.mcp.json')];
  const files = paths.flatMap((path): [string, Buffer][] => {
    const bytes = readBytes(path);
    return bytes === undefined ? [] : [[path, bytes]];
  });
  return { project, folder: realPath(project), files: new Map(files) };
}

/** What the trust of a project is bound to: the bytes of its files; undefined where there is none to trust. Pure. */
export function projectDigest({ files }: Pick<ProjectState, 'files'>): string | undefined {
  if (files.size === 0) return undefined;
  const parts = [...files].map(([path, bytes]) => [path.replace(/^.*[/\\]/s, ''), hash('sha256', bytes)]);
  return `sha256:${hash('sha256', JSON.stringify(parts.sort()))}`;
}

/** Whether a person said that the project as it was read is believed wholly. */
export function isTrustedProject(state: ProjectState, book: TrustBook): boolean {
  const digest = projectDigest(state);
  return digest !== undefined && book.isTrustedProject(state.folder, digest);
}

/** Whether a settings file belongs to a project that is believed wholly. */
export function isInTrustedProject({ layer, file }: SettingsFile, places: SettingsPlaces): boolean {
  return layer !== 'user' && isTrustedProject(stateOf(dirname(dirname(file))), userTrustBook(places));
}

function readBytes(path: string): Buffer | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path) : undefined;
  } catch {
    return undefined; // not there, or not to be read: nothing of it counts
  }
}
