import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { placeBehind } from '../agent/place-behind.ts';
import type { Database } from '../core/database.ts';
import { AgentError } from '../core/error.ts';
import { isAddress, mustLieInFolder } from './kept-place.ts';
import { refuseLinks } from './must-stay-in.ts';
import { makeSkilledFolder } from './skilled-folder.ts';
import { whyUnwritable } from './why-unwritable.ts';

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
    return (await import('../stores/database/postgres.ts')).openPostgresDatabase(place);
  }
  const path = place === undefined ? ':memory:' : makeRoom(resolve(folder, place));
  return (await import('../stores/database/sqlite.ts')).openSqliteDatabase(path);
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
