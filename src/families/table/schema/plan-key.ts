import { sql } from 'kysely';
import { counted } from '../show/counted.ts';
import { compileSql } from './compile-sql.ts';
import type { Ground } from './ground.ts';
import { hasKey } from './has-key.ts';
import { keyStatements } from './key-statements.ts';
import { planId, type Plan } from './plan.ts';
import { readDoubles } from './read-doubles.ts';
import { tablePiece } from './table-statements.ts';

/** A table that the database identifies records of by other columns than the file does. */
export async function planKey(ground: Ground): Promise<readonly Plan[]> {
  const { place, table, existing, columns } = ground;
  if (existing === undefined || existing.isView) return [];
  const key = columns.filter(({ field }) => field.key !== undefined);
  const isMissing = key.some((column) => column.existing === undefined);
  const isNumbered = key.every(
    ({ field, existing: column }) => field.key !== 'auto-increment' || column?.isNumbered === true,
  );
  if (!isMissing && existing.key.length === 0 && isNumbered) return []; // such a table can be read
  if (!isMissing && hasKey(ground) && isNumbered) return [];
  const isForeign = place.kind === 'sqlite' && ground.kept?.record.isOwn !== true;
  const statements = isForeign ? [] : await keyStatements(ground);
  const { unfit, obstacle } = isForeign ? foreign : await obstacleOf(ground);
  const names = key.map(({ field }) => `"${field.name}"`).join(' and ');
  const was = existing.key.map((name) => `"${name}"`).join(' and ');
  const rows = await countRows(ground);
  return [
    {
      proposal: {
        id: planId(
          'key',
          table.name,
          key.map(({ field }) => [field.name, field.key]),
        ),
        kind: 'key',
        text: `The key of "${existing.table}" is ${was === '' ? 'none' : was} and should be ${names}, for ${counted(rows, 'record')}.`,
        sql: statements.map((statement) => statement.sql),
        values: rows,
        unfit,
        losesData: false,
        ...(obstacle === undefined ? {} : { obstacle }),
      },
      isBlocking: true,
      apply: async ({ run }) => {
        for (const statement of statements) await run(statement);
      },
      record: (before) => before,
    },
  ];
}

interface Obstacle {
  readonly unfit: readonly string[];
  readonly obstacle?: string;
}

const foreign: Obstacle = {
  unfit: [],
  obstacle:
    'The table was not made by a skill: change its key with a program of your own, or the key in the file.',
};

/** Records without a key of that kind, or with the same one. */
async function obstacleOf({ place, name, columns }: Ground): Promise<Obstacle> {
  const key = columns.filter(({ field }) => field.key !== undefined);
  const missing = key.find(
    (column) => column.existing === undefined && column.field.key !== 'auto-increment',
  );
  const rows = await countRows({ place, name });
  if (missing !== undefined && rows > 0) {
    return {
      unfit: [],
      obstacle: `No record has a value for "${missing.field.name}": add it as a plain field first, and fill it.`,
    };
  }
  const there = key.filter((column) => column.existing !== undefined).map((column) => column.name);
  if (there.length === 0) return { unfit: [] };
  const empty = sql.join(
    there.map((column) => sql`${sql.id(column)} is null`),
    sql` or `,
  );
  const [row] = await place.run(
    compileSql(place.kind, sql`select count(*) as total from ${tablePiece(name)} where ${empty}`),
  );
  const lacking = Number(row?.['total'] ?? 0);
  if (lacking > 0)
    return { unfit: [], obstacle: `${counted(lacking, 'record')} would have no key: fill the field first.` };
  const { total, some } = await readDoubles(place, name, there);
  if (total === 0) return { unfit: [] };
  return {
    unfit: some,
    obstacle: `Several records would have the same key, as ${some.join(', ')}: change them first.`,
  };
}

async function countRows({ place, name }: Pick<Ground, 'place' | 'name'>): Promise<number> {
  const [row] = await place.run(
    compileSql(place.kind, sql`select count(*) as total from ${tablePiece(name)}`),
  );
  return Number(row?.['total'] ?? 0);
}
