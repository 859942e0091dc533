import { optional, userKey, type RunSummary, type Store } from '../../core/index.ts';
import { createAuditFold, type AuditEntry } from '../../views/index.ts';

/** Which entries of the audit log to return. An entry must match every field that is set. */
export interface AuditQuery {
  /** The first time, in milliseconds since the Unix epoch. */
  readonly since?: number;
  /** The time after the last one, in milliseconds since the Unix epoch. */
  readonly until?: number;
  /** The id of the user who asked, answered, decided or cancelled. */
  readonly user?: string;
  /** The ids of users whose entries show the id instead of the pseudonymous value of the log. */
  readonly known?: readonly string[];
}

const pageLength = 200;

/**
 * Yields who asked, answered, decided and cancelled, from the logs of all runs: the newest run first, and the
 * entries of each run in order. Holds one page of runs and one page of events in memory.
 */
export async function* readAudit(store: Store, query: AuditQuery = {}): AsyncGenerator<AuditEntry, void> {
  const { since = -Infinity, until = Infinity, user, known = [] } = query;
  const names = new Map([...known, ...(user === undefined ? [] : [user])].map((id) => [userKey(id), id]));
  let after: Pick<RunSummary, 'startedAt' | 'id'> | undefined;
  for (;;) {
    const page = await store.runs({ preparations: true, limit: pageLength, ...optional('after', after) });
    for (const { id, updatedAt, startedAt } of page) {
      if (updatedAt < since - slackMs || startedAt > until + slackMs) continue;
      const fold = createAuditFold();
      for await (const event of store.read(id)) {
        const entry = fold(event);
        if (entry === undefined || entry.at < since || entry.at >= until) continue;
        const name = names.get(entry.user) ?? entry.user;
        if (user === undefined || name === user) yield { ...entry, ...optional('user', name) };
      }
    }
    after = page.at(-1);
    if (after === undefined || page.length < pageLength) return;
  }
}

const slackMs = 60_000; // The clock of the store can differ from the clock of the process that wrote an event.
