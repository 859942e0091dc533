import { sql } from 'kysely';
import type { RunSql } from '../../../../core/index.ts';
import { chunksOf, type Piece } from '../../sql.ts';
import type { TableRow } from '../../table.ts';
import type { Change } from '../change.ts';
import type { RecordColumn } from '../column.ts';
import { keyOf, keyText } from '../key.ts';
import { readRow, type RecordsContext } from '../records-context.ts';
import { sameJson } from '../same-json.ts';
import { rowsAtOnce } from './rows-at-once.ts';

type Update = Extract<Change, { readonly kind: 'update' }>;

/** Updates records and returns them as stored. Records with the same changed fields share a statement. */
export async function updateRows(
  run: RunSql,
  context: RecordsContext,
  updates: readonly Update[],
): Promise<readonly TableRow[]> {
  const now = new Map<string, TableRow>();
  const groups = Map.groupBy(updates, (update) =>
    changedColumns(context, update)
      .map(({ alias }) => alias)
      .join(),
  );
  for (const group of groups.values()) {
    const [first] = group;
    const changed = first === undefined ? [] : changedColumns(context, first);
    if (changed.length === 0) continue;
    const columns = [...context.key, ...changed];
    const statements = new Map<number, string>();
    for (const part of chunksOf(group, rowsAtOnce(columns.length))) {
      const text = statements.get(part.length) ?? compileUpdate(context, changed, part.length);
      statements.set(part.length, text);
      const parameters = part.flatMap(({ after }) =>
        columns.map(({ field, toSql }) => toSql(after[field.name] ?? null)),
      );
      for (const raw of await run({ sql: text, parameters })) {
        const row = readRow(context, raw);
        now.set(keyText(keyOf(context, row)), row);
      }
    }
  }
  return updates.map(({ before }) => now.get(keyText(keyOf(context, before))) ?? before);
}

/** Returns the columns that change, excluding those that the database computes. */
function changedColumns({ columns }: RecordsContext, { before, after }: Update): readonly RecordColumn[] {
  return columns.filter(
    ({ field, storage }) =>
      storage.isGenerated !== true &&
      Object.hasOwn(after, field.name) &&
      !sameJson(before[field.name], after[field.name]),
  );
}

/**
 * Compiles an update statement. The values are bound later, row by row: first the key, then the changes. Both
 * databases call the columns of a `values` list `column1`, `column2` and so on.
 */
function compileUpdate(
  { dialect, key, from, selection }: RecordsContext,
  changed: readonly RecordColumn[],
  rows: number,
): string {
  const given = (index: number): Piece => sql`given.${sql.id(`column${index + 1}`)}`;
  const typed = ({ storage }: RecordColumn): Piece =>
    dialect.kind === 'sqlite' ? sql`${null}` : sql`cast(${null} as ${sql.raw(storage.sqlType)})`;
  const row = sql`(${sql.join([...key, ...changed].map(typed))})`;
  const set = sql.join(changed.map(({ name }, index) => sql`${name} = ${given(key.length + index)}`));
  const same = sql.join(
    key.map(({ name }, index) => sql`${name} = ${given(index)}`),
    sql` and `,
  );
  const list = sql.join(Array.from({ length: rows }, () => row));
  return dialect.compile(
    sql`update ${from} set ${set} from (values ${list}) as given where ${same} returning ${selection}`,
  ).sql;
}
