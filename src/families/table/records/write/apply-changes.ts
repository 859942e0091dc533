import { sql } from 'kysely';
import type { RunSql } from '../../../../core/index.ts';
import { chunksOf } from '../../sql/chunks.ts';
import type { TableRow } from '../../table.ts';
import type { Change, Written } from '../change.ts';
import { keyIn, keyOf } from '../key.ts';
import { perform, type RecordsGround } from '../records-ground.ts';
import { addRows } from './add-rows.ts';
import { keysAtOnce } from './rows-at-once.ts';
import { updateRows } from './update-rows.ts';

/** What was done, and what would take it back. */
export interface Applied {
  readonly written: Extract<Written, { readonly outcome: 'done' }>;
  readonly inverse: readonly Change[];
}

const mostShown = 20; // records of a result, which is kept with the run
const mostLetters = 1_000_000; // of them, as JSON
const mostKept = 200_000; // records of one change that can be taken back

type Kind<Name extends Change['kind']> = Extract<Change, { readonly kind: Name }>;

/** Deletes, updates and adds, in this order: what a record gives up, another one can have. */
export async function applyChanges(
  run: RunSql,
  ground: RecordsGround,
  changes: readonly Change[],
  isUndo: boolean,
): Promise<Applied> {
  const deletes = changes.filter((change): change is Kind<'delete'> => change.kind === 'delete');
  const updates = changes.filter((change): change is Kind<'update'> => change.kind === 'update');
  const adds = changes.filter((change): change is Kind<'add'> => change.kind === 'add');
  const removed = deletes.map(({ before }) => before);
  const isFinal = changes.length > mostKept || (await hasUnseen(run, ground, removed));
  await deleteRows(run, ground, removed);
  const updated = await updateRows(run, ground, updates);
  const added = await addRows(
    run,
    ground,
    adds.map(({ after }) => after),
    isUndo,
  );

  const left = { add: added.values(), update: updated.values(), delete: removed.values() };
  let letters = 0;
  const shown = changes
    .slice(0, mostShown)
    .map(({ kind }) => left[kind].next().value)
    .filter((row) => row !== undefined)
    .filter((row) => (letters += JSON.stringify(row).length) <= mostLetters);
  return {
    written: {
      outcome: 'done',
      added: added.length,
      updated: updated.length,
      deleted: removed.length,
      rows: shown,
      ...(isFinal ? { isFinal } : {}),
    },
    inverse: [
      ...added.map((before): Change => ({ kind: 'delete', before })),
      ...updated.map((row, index): Change => ({
        kind: 'update',
        before: row,
        after: updates[index]?.before ?? row,
      })),
      ...removed.map((after): Change => ({ kind: 'add', after })),
    ],
  };
}

/** Whether records have values in columns that are of no field. */
async function hasUnseen(run: RunSql, ground: RecordsGround, rows: readonly TableRow[]): Promise<boolean> {
  const { unseen = [] } = ground.physical;
  if (unseen.length === 0) return false;
  const filled = sql.join(
    unseen.map((column) => sql`${sql.id(column)} is not null`),
    sql` or `,
  );
  for (const part of chunksOf(rows, keysAtOnce)) {
    const keys = keyIn(
      ground,
      part.map((row) => keyOf(ground, row)),
    );
    const found = await perform(
      run,
      ground,
      sql`select 1 as found from ${ground.from} where ${keys} and (${filled}) limit 1`,
    );
    if (found.length > 0) return true;
  }
  return false;
}

async function deleteRows(run: RunSql, ground: RecordsGround, rows: readonly TableRow[]): Promise<void> {
  for (const part of chunksOf(rows, keysAtOnce)) {
    const keys = part.map((row) => keyOf(ground, row));
    await perform(run, ground, sql`delete from ${ground.from} where ${keyIn(ground, keys)}`);
  }
}
