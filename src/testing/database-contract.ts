import { describe } from 'node:test';
import type { Database } from '../core/database.ts';
import { checkChanges } from './database-checks/changes.ts';
import { checkConcurrency } from './database-checks/concurrency.ts';
import { checkRefusals } from './database-checks/refusals.ts';
import { checkSqlValues } from './database-checks/values.ts';

/** What else the contract can use of a database. */
export interface DatabaseFixtures {
  /** Opens what `open` opened last once more, for a database that others share. */
  readonly again?: () => Promise<Database>;
}

/** Registers the checks that every database for records passes; `open` gives one without tables each time, and each is closed again. */
export function databaseContract(
  name: string,
  open: () => Promise<Database>,
  { again }: DatabaseFixtures = {},
): void {
  describe(`the ${name} database keeps the contract`, () => {
    checkSqlValues(open);
    checkChanges(open);
    checkRefusals(open);
    checkConcurrency(open, again);
  });
}
