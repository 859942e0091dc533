import { lstatSync } from 'node:fs';
import { placeBehind } from '../agent/place-behind.ts';
import { toErrorData, type ErrorData } from '../core/error.ts';
import { databasePlace } from './database-place.ts';
import { isPath } from './kept-place.ts';
import { openDatabase } from './open-database.ts';
import type { SourceOptions } from './settings-sources.ts';

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
