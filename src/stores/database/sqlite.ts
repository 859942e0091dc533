import type { Database } from '../../core/database.ts';
import { createBreath } from '../breath.ts';
import { createLife } from '../life.ts';
import { createLines } from '../lines.ts';
import { makeOwnFile } from '../make-own-file.ts';
import { toStoreError } from '../sqlite-errors.ts';
import { createGate } from './gate.ts';
import { performWork } from './perform-work.ts';
import { openConnection, type Connection } from './sqlite-connection.ts';

/** Opens a file of SQLite as a database for records, made when missing; `:memory:` is one that nobody else sees. */
export async function openSqliteDatabase(path: string): Promise<Database> {
  if (path === ':memory:') {
    const only = await openConnection(path, 'database in memory', createBreath());
    return createDatabase('memory', only, only);
  }
  const named = `database ${path}`;
  await makeOwnFile(path).catch((thrown: unknown) => {
    throw toStoreError(thrown, named);
  });
  const breath = createBreath();
  const writer = await openConnection(path, named, breath);
  try {
    return createDatabase(path, writer, await openConnection(path, named, breath));
  } catch (thrown) {
    writer.close();
    throw thrown;
  }
}

function createDatabase(place: string, writer: Connection, reader: Connection): Database {
  // What a read that is still going on has begun to see is what any other read on its connection would see.
  const lines = createLines();
  const readers = reader === writer ? 'writers' : 'readers';
  const gate = createGate();
  const life = createLife('database', async () => {
    if (reader !== writer) reader.close();
    writer.close();
  });

  return {
    kind: 'sqlite',
    place,
    read: (statement) =>
      life.during(() => gate.pass(() => lines.join(readers, () => reader.withoutChanges(statement)))),
    write: (work) =>
      life.during(() =>
        gate.pass(() =>
          lines.join('writers', () =>
            writer.transact(() => performWork(writer.run, (run) => gate.close(() => work(run)))),
          ),
        ),
      ),
    close: () => life.end(),
  };
}
