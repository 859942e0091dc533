import { sql } from 'kysely';
import type { RunSql } from '../../../../core/index.ts';
import { chunksOf } from '../../sql.ts';
import type { TableRow } from '../../table.ts';
import type { Change, Written } from '../change.ts';
import { keyIn, keyOf } from '../key.ts';
import { perform, type RecordsContext } from '../records-context.ts';
import { addRows } from './add-rows.ts';
import { keysAtOnce } from './rows-at-once.ts';
import { updateRows } from './update-rows.ts';

/** The result of a write, with the changes that would undo it. */
export interface Applied {
  readonly written: Extract<Written, { readonly outcome: 'done' }>;
  readonly inverse: readonly Change[];
}

const maxShown = 20; // The maximum number of records in a result, because results are stored with the run.
const maxCharacters = 1_000_000; // The maximum size of the records in a result, in characters of JSON.
const maxUndoable = 200_000; // A change to more records than this cannot be undone.

type Kind<Name extends Change['kind']> = Extract<Change, { readonly kind: Name }>;

/** Applies deletes first, then updates, then adds, so that unique values that become free can be reused. */
export async function applyChanges(
  run: RunSql,
  context: RecordsContext,
  changes: readonly Change[],
  isUndo: boolean,
): Promise<Applied> {
  const deletes = changes.filter((change): change is Kind<'delete'> => change.kind === 'delete');
  const updates = changes.filter((change): change is Kind<'update'> => change.kind === 'update');
  const adds = changes.filter((change): change is Kind<'add'> => change.kind === 'add');
  const removed = deletes.map(({ before }) => before);
  const isFinal = changes.length > maxUndoable || (await hasUnseen(run, context, removed));
  await deleteRows(run, context, removed);
  const updated = await updateRows(run, context, updates);
  const added = await addRows(
    run,
    context,
    adds.map(({ after }) => after),
    isUndo,
  );

  const left = { add: added.values(), update: updated.values(), delete: removed.values() };
  let characters = 0;
  const shown = changes
    .slice(0, maxShown)
    .map(({ kind }) => left[kind].next().value)
    .filter((row) => row !== undefined)
    .filter((row) => (characters += JSON.stringify(row).length) <= maxCharacters);
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

/** Whether any of the records has a value in a column without a declared field. */
async function hasUnseen(run: RunSql, context: RecordsContext, rows: readonly TableRow[]): Promise<boolean> {
  const { unseen = [] } = context.physical;
  if (unseen.length === 0) return false;
  const filled = sql.join(
    unseen.map((column) => sql`${sql.id(column)} is not null`),
    sql` or `,
  );
  for (const part of chunksOf(rows, keysAtOnce)) {
    const keys = keyIn(
      context,
      part.map((row) => keyOf(context, row)),
    );
    const found = await perform(
      run,
      context,
      sql`select 1 as found from ${context.from} where ${keys} and (${filled}) limit 1`,
    );
    if (found.length > 0) return true;
  }
  return false;
}

async function deleteRows(run: RunSql, context: RecordsContext, rows: readonly TableRow[]): Promise<void> {
  for (const part of chunksOf(rows, keysAtOnce)) {
    const keys = part.map((row) => keyOf(context, row));
    await perform(run, context, sql`delete from ${context.from} where ${keyIn(context, keys)}`);
  }
}
