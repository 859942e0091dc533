import { mkdirSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Database } from '../core/database.ts';
import type { Grant } from '../core/sandbox.ts';
import { isWithin } from '../files/paths.ts';
import { temporaryCopies } from '../skills/bundle-copies.ts';
import type { AgentOptions, Ports } from './options.ts';
import { placeBehind } from './place-behind.ts';
import { workspaceOf } from './workspace.ts';

// What decides about this agent, and what git runs by itself.
const inWorkspace = ['.skilled', '.git/hooks', '.git/config', '.git/config.worktree', '.git/modules'];

/**
 * Files and folders that no process of a skill changes: whoever did could answer a question, trust itself, or act later.
 * The log of all runs and the records are not seen either.
 */
export function guardedPlaces(
  options: AgentOptions,
  ports: Pick<Ports, 'trustFile' | 'environment' | 'cacheFolder'>,
): Pick<Grant, 'keep' | 'hide'> {
  const workspace = workspaceOf(options);
  if (workspace === undefined) return {};
  const { store, database, trustFile } = options;
  const copies = [copiesFolder(options, ports), temporaryCopies(workspace)].filter(
    (one) => one !== undefined,
  );
  return {
    keep: [
      ...inWorkspace.map((name) => join(workspace, name)),
      ...(trustFile === undefined ? [] : [resolve(trustFile)]),
      ...(ports.trustFile === undefined ? [] : [ownFolder(dirname(ports.trustFile), workspace)]),
      ...copies.map((folder) => ownFolder(folder, workspace)),
    ],
    hide: [typeof store === 'string' ? store : undefined, pathOf(database, ports)].flatMap(filesOf),
  };
}

/** The folder with the copies of bundles that trusted code runs from; undefined where copies are not kept. */
export function copiesFolder(
  { cache = false }: Pick<AgentOptions, 'cache'>,
  { cacheFolder }: Pick<Ports, 'cacheFolder'>,
): string | undefined {
  const folder = cache === true ? cacheFolder : cache || undefined;
  return folder === undefined ? undefined : join(resolve(folder), 'bundles');
}

/** The files of SQLite at a place, if it is one of files. */
function filesOf(place: string | undefined): readonly string[] {
  if (place === undefined || /^\w+:/.test(place)) return [];
  return ['', '-wal', '-shm'].map((end) => resolve(`${place}${end}`));
}

/** What a database is by its path, whoever opened it. */
function pathOf(
  database: Database | string | undefined,
  { environment }: Pick<Ports, 'environment'>,
): string | undefined {
  if (typeof database === 'string') return placeBehind(database, environment);
  return database !== undefined && isAbsolute(database.place) ? database.place : undefined;
}

/** The user's own folder; where it could be made by a process of a skill, it is made before. */
function ownFolder(folder: string, workspace: string): string {
  if (isWithin(folder, workspace)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
