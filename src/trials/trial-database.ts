import type { Ports } from '../agent/options.ts';
import type { Database } from '../core/database.ts';

/** Databases in memory, one for each place that a skill names, whatever lies there. */
export interface TrialDatabases extends AsyncDisposable {
  readonly open: Ports['openDatabase'];
}

/** Opens databases for one case, which are the same for all of its runs. */
export function createTrialDatabases(openDatabase: Ports['openDatabase']): TrialDatabases {
  const opened = new Map<string, Promise<Database>>();
  return {
    async open(where = '') {
      const known = opened.get(where) ?? openDatabase(undefined, undefined);
      opened.set(where, known);
      const database = await known;
      const { kind, place } = database;
      return {
        ...{ kind, place },
        read: (statement) => database.read(statement),
        write: (work) => database.write(work),
        close: async () => {},
      };
    },
    async [Symbol.asyncDispose]() {
      for (const database of opened.values()) await (await database).close();
    },
  };
}
