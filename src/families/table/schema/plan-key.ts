import { sql } from 'kysely';
import { counted } from '../show/counted.ts';
import { readTotal } from '../sql/run-piece.ts';
import { tablePiece } from '../sql/table-piece.ts';
import { isUnique } from './inspect/is-unique.ts';
import { keyStatements } from './statements/key-statements.ts';
import { buildProposalPlan, type ProposalPlan } from './proposal-plan.ts';
import { readDoubles } from './read-doubles.ts';
import type { SchemaGround } from './schema-ground.ts';

/** A table that the database identifies records of by other columns than the file does. */
export async function planKey(ground: SchemaGround): Promise<readonly ProposalPlan[]> {
  const { place, table, existing, key } = ground;
  if (existing === undefined || existing.isView) return [];
  const names = key.map(({ name }) => name);
  const isMissing = key.some((column) => column.existing === undefined);
  const isNumbered = key.every(
    ({ field, existing: column }) => field.key !== 'auto-increment' || column?.isNumbered === true,
  );
  if (!isMissing && existing.key.length === 0 && isNumbered) return []; // such a table can be read
  if (!isMissing && isUnique(existing, names) && isNumbered) return [];
  const isForeign = place.kind === 'sqlite' && ground.kept?.record.isOwn !== true;
  const statements = isForeign ? [] : await keyStatements(ground);
  const obstacle = isForeign ? foreign : await obstacleOf(ground);
  const wanted = key.map(({ field }) => `"${field.name}"`).join(' and ');
  const was = existing.key.map((name) => `"${name}"`).join(' and ');
  const rows = await countRows(ground);
  return [
    buildProposalPlan(table, {
      kind: 'key',
      about: [key.map(({ field }) => [field.name, field.key])],
      isBlocking: true,
      text: `The key of "${existing.table}" is ${was === '' ? 'none' : was} and should be ${wanted}, for ${counted(rows, 'record')}.`,
      statements,
      obstacle,
    }),
  ];
}

const foreign =
  'The table was not made by a skill: change its key with a program of your own, or the key in the file.';

/** Records without a key of that kind, or with the same one. */
async function obstacleOf({ place, name, key }: SchemaGround): Promise<string | undefined> {
  const missing = key.find(
    (column) => column.existing === undefined && column.field.key !== 'auto-increment',
  );
  const rows = await countRows({ place, name });
  if (missing !== undefined && rows > 0)
    return `No record has a value for "${missing.field.name}": add it as a plain field first, and fill it.`;
  const there = key.filter((column) => column.existing !== undefined).map((column) => column.name);
  if (there.length === 0) return undefined;
  const empty = sql.join(
    there.map((column) => sql`${sql.id(column)} is null`),
    sql` or `,
  );
  const lacking = await readTotal(
    place,
    sql`select count(*) as total from ${tablePiece(name)} where ${empty}`,
  );
  if (lacking > 0) return `${counted(lacking, 'record')} would have no key: fill the field first.`;
  const { total, some } = await readDoubles(place, name, there);
  if (total === 0) return undefined;
  return `Several records would have the same key, as ${some.join(', ')}: change them first.`;
}

function countRows({ place, name }: Pick<SchemaGround, 'place' | 'name'>): Promise<number> {
  return readTotal(place, sql`select count(*) as total from ${tablePiece(name)}`);
}
