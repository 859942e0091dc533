import { existsSync, lstatSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { resolveLocation } from '../../agent/protected-paths.ts';
import { AgentError, toErrorData, type Database, type ErrorData } from '../../core/index.ts';
import type { SourceOptions } from '../read/settings.ts';
import { makeSkilledFolder, refuseLinks, whyUnwritable } from '../skilled-folder.ts';
import { locateDatabase, isAddress, isPath, mustBeInFolder } from './locations.ts';

/**
 * Opens an existing database. Throws `usage.not-found` if the file does not exist, rather than creating it.
 */
export async function openExistingDatabase(location: string, folder: string): Promise<Database> {
  // If the variable in `env:NAME` is not set, `openDatabase` reports the error.
  const behind = resolveLocation(location, process.env) ?? '';
  const isFile = behind !== '' && !isAddress(behind, 'database');
  if (!isFile || existsSync(resolve(folder, behind))) return openDatabase(location, { folder });
  throw new AgentError('usage.not-found', `Database ${resolve(folder, behind)} does not exist.`, {
    hint: 'Use a SQLite file path, a postgres:// address, or env:NAME to read the location from a variable.',
  });
}

/** The location of the record database, without secrets, and the reason if it cannot be used. */
export interface DatabaseReport {
  readonly location: string;
  /** The kind of database. Absent if no record has ever been stored. */
  readonly kind?: 'sqlite' | 'postgres';
  readonly fault?: ErrorData;
}

/** Inspects the CLI's database without creating it. Never throws. */
export async function reportDatabase(cwd: string, options: SourceOptions = {}): Promise<DatabaseReport> {
  const { environment = process.env } = options;
  let location = 'an unknown location';
  try {
    const written = locateDatabase(cwd, options);
    const where = resolveLocation(written, environment) ?? written;
    location = isPath(where) ? where : 'PostgreSQL';
    if (isPath(where) && lstatSync(where, { throwIfNoEntry: false }) === undefined) return { location };
    const database = await openDatabase(written, { environment, folder: cwd });
    await database.close();
    return { location: database.location, kind: database.kind };
  } catch (thrown) {
    return { location, fault: toErrorData(thrown) };
  }
}

/** Options for resolving the location of a database. */
export interface DatabaseOptions {
  /** The environment variables in which to look up `env:NAME`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The base folder for relative paths. Defaults to the working folder. */
  readonly folder?: string | undefined;
}

/**
 * Opens the database for records: PostgreSQL for an address, SQLite for a path, or an in-memory
 * database if no location is given. `env:NAME` refers to the value of a variable. Creates a missing
 * file but no missing folder, except `.skilled`. Loads the database packages on first use.
 */
export async function openDatabase(
  where: string | undefined,
  { environment = process.env, folder = '' }: DatabaseOptions = {},
): Promise<Database> {
  const location = where === undefined ? undefined : resolveLocation(where, environment);
  if (where !== undefined && location === undefined) throw unsetError(where);
  if (location !== undefined && isAddress(location, 'database')) {
    return (await import('../../stores/postgres/database.ts')).openPostgresDatabase(location);
  }
  const path = location === undefined ? ':memory:' : makeRoom(resolve(folder, location));
  return (await import('../../stores/sqlite/database.ts')).openSqliteDatabase(path);
}

function makeRoom(path: string): string {
  const folder = dirname(path);
  if (basename(folder) === '.skilled') refuseLinks(path);
  if (basename(folder) !== '.skilled' || existsSync(folder)) return mustBeInFolder(path, 'database');
  try {
    makeSkilledFolder(folder);
    return path;
  } catch (thrown) {
    throw new AgentError(
      'sandbox.store',
      `Records cannot be stored in ${folder}: ${whyUnwritable(folder, thrown)}.`,
      {
        hint: 'Use a writable folder, or set a different file, for example SKILLED_DATABASE=~/tables.db.',
        cause: thrown,
      },
    );
  }
}

function unsetError(where: string): AgentError {
  const name = where.replace(/^env:\s*/, '');
  return new AgentError(
    'usage.bad-settings',
    `The location of records is read from ${name}, which is not set.`,
    {
      hint: `Set ${name} to a file path or a postgres:// address.`,
    },
  );
}
