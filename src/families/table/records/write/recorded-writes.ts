import { sql } from 'kysely';
import type { RunSql } from '../../../../core/index.ts';
import type { Change, Written } from '../change.ts';
import { perform, type RecordsContext } from '../records-context.ts';
import type { Author, LastWrite } from '../records.ts';
import type { Applied } from './apply-changes.ts';
import { historyName } from './history-tables.ts';

// The limits for one row of undo data, in changes and characters. A single change may exceed the character
// limit.
const imagesAtOnce = 200;
const maxCharacters = 4_000_000;

/** Returns the stored result of a step that has already written its changes. */
export async function findWritten(
  run: RunSql,
  context: RecordsContext,
  stepId: string,
): Promise<Written | undefined> {
  const [row] = await perform(run, context, sql`select result from skilled_writes where step_id = ${stepId}`);
  return row === undefined ? undefined : (JSON.parse(String(row['result'])) as Written);
}

/** Records a step's write together with its undo data. A write that undoes another write cannot be undone. */
export async function recordWrite(
  run: RunSql,
  context: RecordsContext,
  { stepId, session }: Author,
  { written, inverse }: Applied,
  taken: LastWrite | undefined,
): Promise<void> {
  const hasImages = taken === undefined && written.isFinal !== true;
  const values = [
    ...[stepId, historyName(context), session, Date.now(), taken === undefined ? 'write' : 'undo'],
    ...[inverse.length, hasImages ? 1 : 0, JSON.stringify(written)],
  ];
  const [row] = await perform(
    run,
    context,
    sql`insert into skilled_writes (step_id, table_name, session, at, kind, changes, has_images, result)
      values (${sql.join(values)}) returning number`,
  );
  const number = Number(row?.['number']);
  if (hasImages) {
    let part = 0;
    for (const images of textsOf(inverse)) {
      await perform(
        run,
        context,
        sql`insert into skilled_undo (write_number, part, changes) values (${number}, ${part++}, ${images})`,
      );
    }
  }
  if (taken !== undefined) {
    await perform(
      run,
      context,
      sql`update skilled_writes set undone_by = ${stepId} where step_id = ${taken.stepId}`,
    );
    await perform(
      run,
      context,
      sql`delete from skilled_undo where write_number = (select number from skilled_writes where step_id = ${taken.stepId})`,
    );
  }
  await pruneWrites(run, context, number);
}

/** Splits changes into JSON lists that each fit into one row. */
function* textsOf(changes: readonly Change[]): Generator<string> {
  let texts: string[] = [];
  let characters = 0;
  for (const change of changes) {
    const text = JSON.stringify(change);
    if (texts.length === imagesAtOnce || (texts.length > 0 && characters + text.length > maxCharacters)) {
      yield `[${texts.join()}]`;
      [texts, characters] = [[], 0];
    }
    texts.push(text);
    characters += text.length;
  }
  if (texts.length > 0) yield `[${texts.join()}]`;
}

const maxWrites = 50; // Undo data is kept for at most this many writes per table.
const day = 24 * 60 * 60 * 1000;
const longestImages = 7 * day;
// Step ids are kept for 30 days, because an interrupted run may be resumed late. Old entries are pruned only
// on every eighth write, so that writers do not wait for each other.
const longestIds = 30 * day;
const every = 8;

/** Deletes the undo data of old writes, and later the writes themselves. */
async function pruneWrites(run: RunSql, context: RecordsContext, number: number): Promise<void> {
  if (number % every !== 0) return;
  const now = Date.now();
  const name = historyName(context);
  const [oldest] = await perform(
    run,
    context,
    sql`select number from skilled_writes where table_name = ${name} order by number desc limit 1 offset ${maxWrites - 1}`,
  );
  const first = Number(oldest?.['number'] ?? 0);
  const gone = sql`table_name = ${name} and has_images = 1 and (number < ${first} or at < ${now - longestImages})`;
  await perform(
    run,
    context,
    sql`delete from skilled_undo where write_number in (select number from skilled_writes where ${gone})`,
  );
  await perform(run, context, sql`update skilled_writes set has_images = 0 where ${gone}`);
  await perform(
    run,
    context,
    sql`delete from skilled_writes where table_name = ${name} and number < ${first} and at < ${now - longestIds}`,
  );
}
