import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Database, Grant } from '../core/index.ts';
import { below, isWithin, resolveExisting } from '../files/index.ts';
import { temporaryCopies } from '../skills/digest/bundle-copies.ts';
import { variable, type Environment } from '../skills/eligibility/environment.ts';
import { workspaceOf, type AgentOptions, type Ports } from './options.ts';
import { locationOf } from './setup.ts';

// Folders that control this agent. Git folders are omitted because sandboxes already protect them.
const decisive = ['.skilled'];

/**
 * Returns the files and folders that skills' processes must not change. Otherwise, a process could answer the
 * user's questions, trust its own skill, or leave changes that take effect later. The run log, the record
 * database and any run log in the workspace are also hidden from them.
 */
export function findProtectedPaths(
  options: AgentOptions,
  ports: Pick<Ports, 'trustFile' | 'environment' | 'cacheFolder' | 'grantedFolders'>,
): Pick<Grant, 'readOnly' | 'hide'> {
  const workspace = workspaceOf(options);
  if (workspace === undefined) return {};
  const { store, database, trustFile, cache } = options;
  const databases = [typeof store === 'string' ? store : undefined, pathOf(database, ports)]
    .filter((path) => path !== undefined && !/^\w+:/.test(path))
    .map((path) => inWorkspace(workspace, resolve(path ?? '')));
  const folders = [
    ...(ports.trustFile === undefined ? [] : [dirname(ports.trustFile)]),
    ...(ports.cacheFolder === undefined ? [] : [ports.cacheFolder]),
    ...(typeof cache === 'string' ? [resolve(cache)] : []),
    ...[copiesFolder(options, ports), temporaryCopies(workspace)].filter((one) => one !== undefined),
    ...databases.map((path) => dirname(path)).filter((folder) => folder !== workspace),
  ];
  for (const path of databases) if (dirname(path) === workspace) makeSideFiles(path);
  return {
    readOnly: [
      ...decisive.map((name) => join(workspace, name)),
      ...(trustFile === undefined ? [] : [resolve(trustFile)]),
      ...folders.map((folder) => ownFolder(folder, workspace)),
      // Code in these folders runs without being asked about, so no process may change it.
      ...(ports.grantedFolders?.(trustFile ?? ports.trustFile) ?? []).map((folder) =>
        isWithin(workspace, folder) ? workspace : folder,
      ),
    ],
    hide: [...new Set([...databases, join(workspace, '.skilled', 'skilled.db')])].flatMap((path) =>
      ['', ...sideFiles].map((end) => `${path}${end}`),
    ),
  };
}

/**
 * Resolves the symbolic links in the path of a database that is inside the workspace, except in the part that
 * leads to the workspace. Returns any other path unchanged.
 */
function inWorkspace(workspace: string, path: string): string {
  const [root, file] = [workspace, path].map((one) => {
    const { real, missing } = resolveExisting(one);
    return join(real, ...missing);
  }) as [string, string];
  return file !== root && isWithin(file, root) ? join(workspace, below(root, file)) : path;
}

// SQLite reads side files when it opens a database, so a forged side file can change the database.
const sideFiles = ['-wal', '-shm', '-journal'];

/**
 * Creates empty side files for a database in the workspace folder, so that no other process can create them.
 * SQLite ignores empty side files. They are hidden together with the database.
 */
function makeSideFiles(database: string): void {
  if (!existsSync(database)) return;
  for (const end of sideFiles) {
    try {
      closeSync(openSync(`${database}${end}`, 'wx', 0o600));
    } catch {
      // The file already exists, or files cannot be created in this folder.
    }
  }
}

/**
 * Returns the folder for the copies of bundles from which trusted code runs, or undefined if copies are not
 * kept.
 */
export function copiesFolder(
  { cache = false }: Pick<AgentOptions, 'cache'>,
  { cacheFolder }: Pick<Ports, 'cacheFolder'>,
): string | undefined {
  const folder = cache === true ? cacheFolder : cache || undefined;
  return folder === undefined ? undefined : join(resolve(folder), 'bundles');
}

/**
 * Returns the location of a database. For a database that the host program opened, returns undefined if its
 * location is not an absolute path.
 */
function pathOf(
  database: Database | string | undefined,
  { environment }: Pick<Ports, 'environment'>,
): string | undefined {
  if (typeof database === 'string') return resolveLocation(database, environment);
  const location = database === undefined ? '' : locationOf(database);
  return isAbsolute(location) ? location : undefined;
}

/**
 * Returns one of the agent's own folders. If it is in the workspace, creates it first, so that no skill's
 * process can create it.
 */
function ownFolder(folder: string, workspace: string): string {
  if (!isWithin(folder, workspace) || existsSync(folder)) return folder;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // If the workspace is read-only, a skill's process cannot create the folder either.
  }
  return folder;
}

/**
 * Resolves a database's location. For `env:NAME`, returns the variable's value, or undefined if it is not
 * set; any other location is returned as written.
 */
export function resolveLocation(written: string, environment: Environment): string | undefined {
  const name = /^env:(.*)$/s.exec(written)?.[1];
  return name === undefined ? written : variable(environment, name.trim());
}
