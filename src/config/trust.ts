import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { realPath } from '../files/index.ts';
import { modelVariables, readEnvFile } from '../models/providers/keys.ts';
import { folderGrantsFile, openFolderGrants, type FolderGrants } from '../policy/folder-grants.ts';
import { openTrustBook, type TrustBook } from '../policy/trust-book.ts';
import {
  homeFolder,
  projectFiles,
  settingsFiles,
  userFolder,
  type SettingsFile,
  type SettingsLocations,
} from './paths.ts';

/**
 * Records whether the user trusts a project before one of its settings files changes. Call the
 * returned function after the change to keep the project trusted. The project loses its trust if
 * other files changed too.
 */
export function prepareTrustUpdate(
  { layer, file }: SettingsFile,
  locations: SettingsLocations,
  change: (text: string) => string,
): () => Promise<void> {
  const nothing = (): Promise<void> => Promise.resolve();
  if (layer === 'user') return nothing;
  const book = userTrustBook(locations);
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

/** Returns the trust book of the user who runs this process. */
export function ownTrustBook(): TrustBook {
  return userTrustBook({ userFolder: userFolder(process.env, homeFolder()) });
}

/** The files that determine whether a project is trusted, and their contents. */
export interface ProjectState {
  /** The project's path, with links unresolved. */
  readonly project: string;
  /** The project's real path. */
  readonly folder: string;
  /** The contents of the existing files, by path. */
  readonly files: ReadonlyMap<string, Buffer>;
  /**
   * The variables in the project's `.env` that affect models. Changes to other variables do not
   * revoke trust.
   */
  readonly variables: ReadonlyMap<string, string>;
}

/** Returns the file that lists the projects that the user trusts, or undefined if there is no user folder. */
export function trustFileIn(userFolder: string | undefined): string | undefined {
  return userFolder === undefined ? undefined : join(userFolder, 'trust.json');
}

/** Returns the folders whose skills the user trusts. */
export function ownFolderGrants(): FolderGrants {
  const file = trustFileIn(userFolder(process.env, homeFolder()));
  return openFolderGrants(file === undefined ? undefined : folderGrantsFile(file));
}

/**
 * Returns the user's trust book. If there is no user folder, the book is empty and is not saved.
 */
export function userTrustBook({ userFolder }: Pick<SettingsLocations, 'userFolder'>): TrustBook {
  return openTrustBook(trustFileIn(userFolder));
}

/**
 * Returns the project that settings are read from, and the files that determine its trust. Undefined outside
 * a project.
 */
export function projectState(locations: SettingsLocations): ProjectState | undefined {
  const file = settingsFiles(locations).find(({ layer }) => layer === 'project');
  return file === undefined ? undefined : stateOf(dirname(dirname(file.file)));
}

/** The name of the file in a project that defines MCP servers, as in Claude Code. */
export const serversFile = '.mcp.json';

/** Reads the project files that determine whether the project is trusted. */
export function stateOf(project: string): ProjectState {
  const paths = [...projectFiles(project).map(({ file }) => file), join(project, serversFile)];
  const files = paths.flatMap((path): [string, Buffer][] => {
    const bytes = readBytes(path);
    return bytes === undefined ? [] : [[path, bytes]];
  });
  const read = new Map(files);
  return { project, folder: realPath(project), files: read, variables: variablesOf(project, read) };
}

/**
 * Returns the variables that contain the key or address of a known provider, and the keys of servers in the
 * project's settings.
 */
function variablesOf(project: string, files: ReadonlyMap<string, Buffer>): ReadonlyMap<string, string> {
  const text = [...files.values()].map((bytes) => bytes.toString('utf8')).join('\n');
  const named = [...text.matchAll(/"apiKeyEnv"\s*:\s*"(\w+)"/g)].map(([, name]) => name);
  const counts = new Set<string | undefined>([...modelVariables, ...named]);
  const found = [...readEnvFile(project)].filter(([name, value]) => counts.has(name) && value.trim() !== '');
  return new Map(found);
}

/** Returns the files that the user is asked to trust, as paths relative to the project. */
export function trustedFiles({ project, files, variables }: ProjectState): readonly string[] {
  const paths = [...files.keys()].map((file) => relative(project, file));
  return variables.size === 0 ? paths : [...paths, '.env'];
}

/**
 * Returns a digest of the files and model variables that determine a project's trust, or undefined if there
 * are none. Pure.
 */
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

/** Returns whether the user trusts the project with exactly these contents. */
export function isTrustedProject(state: ProjectState, book: TrustBook): boolean {
  const digest = projectDigest(state);
  return digest !== undefined && book.isTrustedProject(state.folder, digest);
}

/**
 * Returns the model variables of the project's `.env` if the project is trusted, or else an empty
 * map.
 */
export function trustedVariables(locations: SettingsLocations): ReadonlyMap<string, string> {
  const state = projectState(locations);
  const isTrusted =
    state !== undefined && state.variables.size > 0 && isTrustedProject(state, userTrustBook(locations));
  return isTrusted ? state.variables : new Map();
}

/** Returns whether a settings file belongs to a trusted project. */
export function isInTrustedProject({ layer, file }: SettingsFile, locations: SettingsLocations): boolean {
  return layer !== 'user' && isTrustedProject(stateOf(dirname(dirname(file))), userTrustBook(locations));
}

function readBytes(path: string): Buffer | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path) : undefined;
  } catch {
    return undefined; // A missing or unreadable file has no content that the user could trust.
  }
}
