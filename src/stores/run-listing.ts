import { sql } from 'kysely';
import { optional } from '../core/collections.ts';
import type { RunStatus } from '../core/run.ts';
import { silentAfter, type RunQuery, type RunSummary } from '../core/store.ts';
import type { Dialect } from './dialect.ts';
import { runLimitOf } from './run-limit.ts';
import type { RunTable } from './schema.ts';
import { compile, type Statement } from './statement.ts';
import { decodeText, encodeText } from './stored-text.ts';

/** Compiles the listing that a query asks for, newest first. */
export function buildRunListing(dialect: Dialect, query: RunQuery): Statement<object, RunTable> {
  const { database, now, list } = dialect;
  const { ids, idPrefix, status, session } = query;
  const shown = sql<string>`case when status = 'running' and beat_at < ${now} - ${sql.lit(silentAfter)}
    then 'interrupted' else status end`;

  let listing = database.selectFrom('runs').selectAll().select(shown.as('status'));
  if (ids !== undefined) listing = listing.where('run_id', 'in', list(JSON.stringify(ids.map(encodeText))));
  if (idPrefix !== undefined) {
    const start = encodeText(idPrefix);
    listing = listing.where('run_id', '>=', start).where('run_id', '<', `${start}\u{10ffff}`);
  }
  if (status !== undefined) {
    listing = listing.where('status', 'in', list(JSON.stringify(status.map(storedStatusOf)))); // has an index
    listing = listing.where(shown, 'in', list(JSON.stringify(status)));
  }
  if (session !== undefined) {
    const name = encodeText(session);
    listing = listing.where('session_id', '=', name);
    listing = listing.where(sql<boolean>`substr(session_id, 1, 64) = substr(${name}, 1, 64)`); // has an index
  }
  if (query.preparations !== true && ids === undefined) listing = listing.where('prepares', 'is', null);
  return compile(() =>
    listing.orderBy('started_at', 'desc').orderBy('run_id', 'desc').limit(runLimitOf(query)),
  );
}

function storedStatusOf(status: RunStatus): string {
  return status === 'interrupted' ? 'running' : status;
}

/** The summary that a row of a listing holds. */
export function toSummary(row: RunTable): RunSummary {
  return {
    id: decodeText(row.run_id),
    skill: decodeText(row.skill),
    session: decodeText(row.session_id),
    title: decodeText(row.title),
    status: row.status as RunStatus,
    ...optional('prepares', row.prepares === null ? undefined : decodeText(row.prepares)),
    seq: row.seq,
    epoch: row.epoch,
    owner: decodeText(row.owner),
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    beatAt: row.beat_at,
  };
}
