import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { placeBehind } from '../agent/place-behind.ts';
import type { Database } from '../core/database.ts';
import { AgentError } from '../core/error.ts';
import { isAddress } from './kept-place.ts';
import { openDatabase } from './open-database.ts';

/** Opens a database that is there already; throws `usage.not-found` for a file that is not, and makes none. */
export async function openExistingDatabase(place: string, folder: string): Promise<Database> {
  const behind = placeBehind(place, process.env) ?? ''; // that a variable is not set is told when it is opened
  const isFile = behind !== '' && !isAddress(behind, 'database');
  if (!isFile || existsSync(resolve(folder, behind))) return openDatabase(place, { folder });
  throw new AgentError('usage.not-found', `There is no database ${resolve(folder, behind)}.`, {
    hint: 'Give the path of a SQLite file, a postgres:// address, or env:NAME for what a variable says.',
  });
}
