import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { realPath } from '../files/index.ts';
import { modelVariables, readEnvFile } from '../models/providers/keys.ts';
import { openTrustBook, type TrustBook } from '../policy/trust-book.ts';
import {
  homeFolder,
  projectFiles,
  settingsFiles,
  userFolder,
  type SettingsFile,
  type SettingsPlaces,
} from './paths.ts';

/**
 * Looks at the project of a settings file that its user is about to change; what it gives is called after the change
 * and keeps a trusted project trusted. Only this change is vouched for: what else happened meanwhile is not.
 */
export function keepTrust(
  { layer, file }: SettingsFile,
  places: SettingsPlaces,
  change: (text: string) => string,
): () => Promise<void> {
  const nothing = (): Promise<void> => Promise.resolve();
  if (layer === 'user') return nothing;
  const book = userTrustBook(places);
  const before = stateOf(dirname(dirname(file)));
  if (!isTrustedProject(before, book)) return nothing;
  const { folder } = before;
  return async () => {
    const text = before.files.get(file)?.toString('utf8') ?? '';
    const files = new Map([...before.files, [file, Buffer.from(change(text))]]);
    const digest = projectDigest({ files, variables: before.variables });
    if (digest !== undefined) await book.trustProject({ folder, digest });
  };
}

/** The trust book of whoever runs this process. */
export function ownTrustBook(): TrustBook {
  return userTrustBook({ userFolder: userFolder(process.env, homeFolder()) });
}

/** The files by which a project decides about whoever works in it, as they were when they were read. */
export interface ProjectState {
  /** As it was named. */
  readonly project: string;
  /** Real path. */
  readonly folder: string;
  /** Those that are there, with their bytes. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The variables of its `.env` that decide about models; the others are not read and may change freely. */
  readonly variables: ReadonlyMap<string, string>;
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
  const read = new Map(files);
  return { project, folder: realPath(project), files: read, variables: variablesOf(project, read) };
}

/** Keys and addresses of the known providers, and the keys that servers in the settings of the project name. */
function variablesOf(project: string, files: ReadonlyMap<string, Buffer>): ReadonlyMap<string, string> {
  const text = [...files.values()].map((bytes) => bytes.toString('utf8')).join('\n');
  const named = [...text.matchAll(/"apiKeyEnv"\s*:\s*"(\w+)"/g)].map(([, name]) => name);
  const counts = new Set<string | undefined>([...modelVariables, ...named]);
  const found = [...readEnvFile(project)].filter(([name, value]) => counts.has(name) && value.trim() !== '');
  return new Map(found);
}

/** The files whose trust is asked for, from the folder of the project. */
export function trustedFiles({ project, files, variables }: ProjectState): readonly string[] {
  const paths = [...files.keys()].map((file) => relative(project, file));
  return variables.size === 0 ? paths : [...paths, '.env'];
}

/** What the trust of a project is bound to: the bytes of its files and its variables for models; undefined where there is nothing to trust. Pure. */
export function projectDigest({
  files,
  variables,
}: Pick<ProjectState, 'files' | 'variables'>): string | undefined {
  if (files.size + variables.size === 0) return undefined;
  const parts = [
    ...[...files].map(([path, bytes]) => [path.replace(/^.*[/\\]/s, ''), hash('sha256', bytes)]),
    ...[...variables].map(([name, value]) => ['.env', name, hash('sha256', value)]),
  ];
  return `sha256:${hash('sha256', JSON.stringify(parts.sort()))}`;
}

/** Whether a person said that the project as it was read is believed wholly. */
export function isTrustedProject(state: ProjectState, book: TrustBook): boolean {
  const digest = projectDigest(state);
  return digest !== undefined && book.isTrustedProject(state.folder, digest);
}

/** The variables for models of a project that is trusted as it is now; none of any other. */
export function trustedVariables(places: SettingsPlaces): ReadonlyMap<string, string> {
  const state = projectState(places);
  const isTrusted =
    state !== undefined && state.variables.size > 0 && isTrustedProject(state, userTrustBook(places));
  return isTrusted ? state.variables : new Map();
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
