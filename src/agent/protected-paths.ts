import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Database, Grant } from '../core/index.ts';
import { below, isWithin, standingOf } from '../files/index.ts';
import { temporaryCopies } from '../skills/digest/bundle-copies.ts';
import { placeBehind, workspaceOf, type AgentOptions, type Ports } from './options.ts';

// What decides about this agent. Sandboxes protect git folders by themselves.
const decisive = ['.skilled'];

/**
 * Files and folders that no process of a skill changes: whoever did could answer a question, trust itself, or act later.
 * The log of all runs and the records are not seen either, nor is a log that came with the workspace.
 */
export function guardedPlaces(
  options: AgentOptions,
  ports: Pick<Ports, 'trustFile' | 'environment' | 'cacheFolder'>,
): Pick<Grant, 'keep' | 'hide'> {
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
    keep: [
      ...decisive.map((name) => join(workspace, name)),
      ...(trustFile === undefined ? [] : [resolve(trustFile)]),
      ...folders.map((folder) => ownFolder(folder, workspace)),
    ],
    hide: [...new Set([...databases, join(workspace, '.skilled', 'skilled.db')])].flatMap((path) =>
      ['', ...sideFiles].map((end) => `${path}${end}`),
    ),
  };
}

/** The path of a database without links, written from the workspace on where it is in it. */
function inWorkspace(workspace: string, path: string): string {
  const [root, file] = [workspace, path].map((one) => {
    const { real, missing } = standingOf(one);
    return join(real, ...missing);
  }) as [string, string];
  return file !== root && isWithin(file, root) ? join(workspace, below(root, file)) : path;
}

// SQLite applies these to a database when it opens it, so a process that plants one changes the database.
const sideFiles = ['-wal', '-shm', '-journal'];

/**
 * In the workspace itself, where anything can be made, empty files are there before a process could make them: they mean
 * nothing to SQLite, and are hidden with the database.
 */
function makeSideFiles(database: string): void {
  if (!existsSync(database)) return;
  for (const end of sideFiles) {
    try {
      closeSync(openSync(`${database}${end}`, 'wx', 0o600));
    } catch {
      // it is there, or nothing can be made here
    }
  }
}

/** The folder with the copies of bundles that trusted code runs from; undefined where copies are not kept. */
export function copiesFolder(
  { cache = false }: Pick<AgentOptions, 'cache'>,
  { cacheFolder }: Pick<Ports, 'cacheFolder'>,
): string | undefined {
  const folder = cache === true ? cacheFolder : cache || undefined;
  return folder === undefined ? undefined : join(resolve(folder), 'bundles');
}

/** What a database is by its path, whoever opened it. */
function pathOf(
  database: Database | string | undefined,
  { environment }: Pick<Ports, 'environment'>,
): string | undefined {
  if (typeof database === 'string') return placeBehind(database, environment);
  return database !== undefined && isAbsolute(database.place) ? database.place : undefined;
}

/** A folder of ours; if a process of a skill could make it, it is made before. */
function ownFolder(folder: string, workspace: string): string {
  if (!isWithin(folder, workspace) || existsSync(folder)) return folder;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // in a workspace that can only be read, no process of a skill makes it either
  }
  return folder;
}
