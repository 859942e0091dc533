import { sql } from 'kysely';
import type { RunSql } from '../../../../core/index.ts';
import type { Change, Written } from '../change.ts';
import { perform, type RecordsGround } from '../records-ground.ts';
import type { Author, LastWrite } from '../records.ts';
import type { Applied } from './apply-changes.ts';
import { keptName } from './kept-tables.ts';

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

const mostKept = 50; // writes of a table
const day = 24 * 60 * 60 * 1000;
const longestImages = 7 * day;
const longestIds = 30 * day; // a run that was cut off may be taken up long after
const every = 8; // writes; a look at each would make writers wait for each other

/** Forgets what would take back old writes, and later that they were made. */
async function pruneWrites(run: RunSql, ground: RecordsGround, number: number): Promise<void> {
  if (number % every !== 0) return;
  const now = Date.now();
  const name = keptName(ground);
  const [oldest] = await perform(
    run,
    ground,
    sql`select number from skilled_writes where table_name = ${name} order by number desc limit 1 offset ${mostKept - 1}`,
  );
  const first = Number(oldest?.['number'] ?? 0);
  const gone = sql`table_name = ${name} and has_images = 1 and (number < ${first} or at < ${now - longestImages})`;
  await perform(
    run,
    ground,
    sql`delete from skilled_undo where write_number in (select number from skilled_writes where ${gone})`,
  );
  await perform(run, ground, sql`update skilled_writes set has_images = 0 where ${gone}`);
  await perform(
    run,
    ground,
    sql`delete from skilled_writes where table_name = ${name} and number < ${first} and at < ${now - longestIds}`,
  );
}
