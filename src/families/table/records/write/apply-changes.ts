import { sql } from 'kysely';
import type { RunSql } from '../../../../core/database.ts';
import type { TableRow } from '../../table.ts';
import type { Change, Written } from '../change.ts';
import { chunksOf } from '../chunks.ts';
import { perform, type Ground } from '../ground.ts';
import { keyIn, keyOf } from '../key.ts';
import { addRows } from './add-rows.ts';
import { keysAtOnce } from './find-stale.ts';
import { updateRows } from './update-rows.ts';

/** What was done, and what would take it back. */
export interface Applied {
  readonly written: Extract<Written, { readonly outcome: 'done' }>;
  readonly inverse: readonly Change[];
}

const mostShown = 20; // records of a result, which is kept with the run

type Kind<Name extends Change['kind']> = Extract<Change, { readonly kind: Name }>;

/** Deletes, updates and adds, in this order: what a record gives up, another one can have. */
export async function applyChanges(
  run: RunSql,
  ground: Ground,
  changes: readonly Change[],
  isUndo: boolean,
): Promise<Applied> {
  const deletes = changes.filter((change): change is Kind<'delete'> => change.kind === 'delete');
  const updates = changes.filter((change): change is Kind<'update'> => change.kind === 'update');
  const adds = changes.filter((change): change is Kind<'add'> => change.kind === 'add');
  const removed = deletes.map(({ before }) => before);
  await deleteRows(run, ground, removed);
  const updated = await updateRows(run, ground, updates);
  const added = await addRows(
    run,
    ground,
    adds.map(({ after }) => after),
    isUndo,
  );

  const left = { add: added.values(), update: updated.values(), delete: removed.values() };
  const shown = changes
    .slice(0, mostShown)
    .map(({ kind }) => left[kind].next().value)
    .filter((row) => row !== undefined);
  return {
    written: {
      ...{ outcome: 'done', added: added.length, updated: updated.length, deleted: removed.length },
      rows: shown,
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

async function deleteRows(run: RunSql, ground: Ground, rows: readonly TableRow[]): Promise<void> {
  for (const part of chunksOf(rows, keysAtOnce)) {
    const keys = part.map((row) => keyOf(ground, row));
    await perform(run, ground, sql`delete from ${ground.from} where ${keyIn(ground, keys)}`);
  }
}
