import { sql } from 'kysely';
import type { RunSql } from '../../../../core/index.ts';
import type { Change, Written } from '../change.ts';
import { perform, type RecordsGround } from '../records-ground.ts';
import type { Author, LastWrite } from '../records.ts';
import type { Applied } from './apply-changes.ts';
import { keptName } from './kept-tables.ts';
import { pruneWrites } from './prune-writes.ts';

const imagesAtOnce = 200; // in one row
const mostLetters = 4_000_000; // in one row, unless one record has more

/** What came of a step that wrote before. */
export async function findWritten(
  run: RunSql,
  ground: RecordsGround,
  stepId: string,
): Promise<Written | undefined> {
  const [row] = await perform(run, ground, sql`select result from skilled_writes where step_id = ${stepId}`);
  return row === undefined ? undefined : (JSON.parse(String(row['result'])) as Written);
}

/** Keeps that a step has written, and what would take it back; what takes another write back can itself not be taken back. */
export async function keepWrite(
  run: RunSql,
  ground: RecordsGround,
  { stepId, session }: Author,
  { written, inverse }: Applied,
  taken: LastWrite | undefined,
): Promise<void> {
  const hasImages = taken === undefined && written.isFinal !== true;
  const values = [
    ...[stepId, keptName(ground), session, Date.now(), taken === undefined ? 'write' : 'undo'],
    ...[inverse.length, hasImages ? 1 : 0, JSON.stringify(written)],
  ];
  const [row] = await perform(
    run,
    ground,
    sql`insert into skilled_writes (step_id, table_name, session, at, kind, changes, has_images, result)
      values (${sql.join(values)}) returning number`,
  );
  const number = Number(row?.['number']);
  if (hasImages) {
    let part = 0;
    for (const images of textsOf(inverse)) {
      await perform(
        run,
        ground,
        sql`insert into skilled_undo (write_number, part, changes) values (${number}, ${part++}, ${images})`,
      );
    }
  }
  if (taken !== undefined) {
    await perform(
      run,
      ground,
      sql`update skilled_writes set undone_by = ${stepId} where step_id = ${taken.stepId}`,
    );
    await perform(
      run,
      ground,
      sql`delete from skilled_undo where write_number = (select number from skilled_writes where step_id = ${taken.stepId})`,
    );
  }
  await pruneWrites(run, ground, number);
}

/** Changes as lists of JSON that are not too long for one row. */
function* textsOf(changes: readonly Change[]): Generator<string> {
  let texts: string[] = [];
  let letters = 0;
  for (const change of changes) {
    const text = JSON.stringify(change);
    if (texts.length === imagesAtOnce || (texts.length > 0 && letters + text.length > mostLetters)) {
      yield `[${texts.join()}]`;
      [texts, letters] = [[], 0];
    }
    texts.push(text);
    letters += text.length;
  }
  if (texts.length > 0) yield `[${texts.join()}]`;
}
