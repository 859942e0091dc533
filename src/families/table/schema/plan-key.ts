import { sql } from 'kysely';
import { counted } from '../show/counted.ts';
import { readTotal, tablePiece } from '../sql.ts';
import { isUnique } from './inspect/is-unique.ts';
import { keyStatements } from './statements/key-statements.ts';
import { buildProposalPlan, type ProposalPlan } from './proposal-plan.ts';
import { readDoubles } from './read-doubles.ts';
import type { SchemaContext } from './schema-context.ts';

/** Proposes a new key if the database's key differs from the one in the file. */
export async function planKey(context: SchemaContext): Promise<readonly ProposalPlan[]> {
  const { executor, table, existing, key } = context;
  if (existing === undefined || existing.isView) return [];
  const names = key.map(({ name }) => name);
  const isMissing = key.some((column) => column.existing === undefined);
  const isNumbered = key.every(
    ({ field, existing: column }) => field.key !== 'auto-increment' || column?.isNumbered === true,
  );
  // A table without a key needs no change, because its records can still be read.
  if (!isMissing && existing.key.length === 0 && isNumbered) return [];
  if (!isMissing && isUnique(existing, names) && isNumbered) return [];
  const isForeign = executor.kind === 'sqlite' && context.stored?.record.isOwn !== true;
  const statements = isForeign ? [] : await keyStatements(context);
  const obstacle = isForeign ? foreign : await obstacleOf(context);
  const expected = key.map(({ field }) => `"${field.name}"`).join(' and ');
  const was = existing.key.map((name) => `"${name}"`).join(' and ');
  const rows = await countRows(context);
  return [
    buildProposalPlan(table, {
      kind: 'key',
      about: [key.map(({ field }) => [field.name, field.key])],
      isBlocking: true,
      text: `The key of "${existing.table}" is ${was === '' ? 'none' : was} but should be ${expected}. This affects ${counted(rows, 'record')}.`,
      statements,
      obstacle,
    }),
  ];
}

const foreign =
  'The table was not created by a skill. Change its key yourself, or change the key in the file.';

/**
 * Returns a sentence that explains why the key cannot be changed yet, because some records would have no key
 * or the same key. Returns undefined if the key can be changed.
 */
async function obstacleOf({ executor, name, key }: SchemaContext): Promise<string | undefined> {
  const missing = key.find(
    (column) => column.existing === undefined && column.field.key !== 'auto-increment',
  );
  const rows = await countRows({ executor, name });
  if (missing !== undefined && rows > 0)
    return `No record has a value for "${missing.field.name}". First add it as a plain field, then fill in its values.`;
  const there = key.filter((column) => column.existing !== undefined).map((column) => column.name);
  if (there.length === 0) return undefined;
  const empty = sql.join(
    there.map((column) => sql`${sql.id(column)} is null`),
    sql` or `,
  );
  const lacking = await readTotal(
    executor,
    sql`select count(*) as total from ${tablePiece(name)} where ${empty}`,
  );
  if (lacking > 0) return `${counted(lacking, 'record')} would have no key. Fill in the field first.`;
  const { total, some } = await readDoubles(executor, name, there);
  if (total === 0) return undefined;
  return `Several records would have the same key, such as ${some.join(', ')}. Change these records first.`;
}

function countRows({ executor, name }: Pick<SchemaContext, 'executor' | 'name'>): Promise<number> {
  return readTotal(executor, sql`select count(*) as total from ${tablePiece(name)}`);
}
