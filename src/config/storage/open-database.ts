import { existsSync, lstatSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { placeBehind } from '../../agent/options.ts';
import { AgentError, toErrorData, type Database, type ErrorData } from '../../core/index.ts';
import type { SourceOptions } from '../read/settings.ts';
import { makeSkilledFolder, refuseLinks, whyUnwritable } from '../skilled-folder.ts';
import { databasePlace, isAddress, isPath, mustLieInFolder } from './locations.ts';

/** Opens a database that is there already; throws `usage.not-found` for a file that is not, and makes none. */
export async function openExistingDatabase(place: string, folder: string): Promise<Database> {
  const behind = placeBehind(place, process.env) ?? ''; // that a variable is not set is told when it is opened
  const isFile = behind !== '' && !isAddress(behind, 'database');
  if (!isFile || existsSync(resolve(folder, behind))) return openDatabase(place, { folder });
  throw new AgentError('usage.not-found', `There is no database ${resolve(folder, behind)}.`, {
    hint: 'Give the path of a SQLite file, a postgres:// address, or env:NAME for what a variable says.',
  });
}

/** Where records are kept, in words that are safe to print, and what is wrong with the place. */
export interface DatabaseReport {
  readonly place: string;
  /** Absent when nothing was ever kept there. */
  readonly kind?: 'sqlite' | 'postgres';
  readonly fault?: ErrorData;
}

/** Opens the database of the command line if there is one, and makes none; never throws. */
export async function reportDatabase(cwd: string, options: SourceOptions = {}): Promise<DatabaseReport> {
  const { environment = process.env } = options;
  let place = 'an unknown place';
  try {
    const written = databasePlace(cwd, options);
    const where = placeBehind(written, environment) ?? written;
    place = isPath(where) ? where : 'PostgreSQL';
    if (isPath(where) && lstatSync(where, { throwIfNoEntry: false }) === undefined) return { place };
    const database = await openDatabase(written, { environment, folder: cwd });
    await database.close();
    return { place: database.place, kind: database.kind };
  } catch (thrown) {
    return { place, fault: toErrorData(thrown) };
  }
}

/** What the place of a database is understood by. */
export interface DatabaseGround {
  /** Where `env:NAME` is looked up. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** What relative paths start from; the working folder unless given. */
  readonly folder?: string | undefined;
}

/**
 * Opens where skills keep records: PostgreSQL for an address, SQLite for a path, memory for nothing, and what a variable
 * says for `env:NAME`. A file is made when missing, a folder only when it is a `.skilled`; its packages are loaded now.
 */
export async function openDatabase(
  where: string | undefined,
  { environment = process.env, folder = '' }: DatabaseGround = {},
): Promise<Database> {
  const place = where === undefined ? undefined : placeBehind(where, environment);
  if (where !== undefined && place === undefined) throw unsetError(where);
  if (place !== undefined && isAddress(place, 'database')) {
    return (await import('../../stores/postgres/database.ts')).openPostgresDatabase(place);
  }
  const path = place === undefined ? ':memory:' : makeRoom(resolve(folder, place));
  return (await import('../../stores/sqlite/database.ts')).openSqliteDatabase(path);
}

function makeRoom(path: string): string {
  const folder = dirname(path);
  if (basename(folder) === '.skilled') refuseLinks(path);
  if (basename(folder) !== '.skilled' || existsSync(folder)) return mustLieInFolder(path, 'database');
  try {
    makeSkilledFolder(folder);
    return path;
  } catch (thrown) {
    throw new AgentError(
      'sandbox.store',
      `Records cannot be kept in ${folder}: ${whyUnwritable(folder, thrown)}.`,
      {
        hint: 'Work in a folder that can be written, or name another file, as in SKILLED_DATABASE=~/tables.db.',
        cause: thrown,
      },
    );
  }
}

function unsetError(where: string): AgentError {
  const name = where.replace(/^env:\s*/, '');
  return new AgentError('usage.bad-settings', `Records are kept where ${name} says, and it is not set.`, {
    hint: `Set the variable ${name} to the path of a file or a postgres:// address.`,
  });
}
