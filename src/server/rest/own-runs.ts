import {
  optional,
  shownSkillName,
  type RunEvent,
  type RunResult,
  type RunSummary,
  type Store,
} from '../../core/index.ts';
import { foldRun, resultOf } from '../../views/index.ts';
import { notFound, ownsRun, shownSession, type Caller } from '../caller.ts';
import type { ServerContext } from '../route-group.ts';

/** A run in a list, as clients get it. */
export interface ShownRun {
  readonly id: string;
  readonly status: RunSummary['status'];
  readonly skill: string;
  readonly title: string;
  readonly session?: string;
  readonly events: number;
  readonly startedAt: number;
  readonly updatedAt: number;
}

/**
 * Finds a run of a caller. Throws the same `usage.not-found` for a run of another user as for one that does not
 * exist.
 */
export async function findOwnRun({ agent }: ServerContext, caller: Caller, id: string): Promise<RunSummary> {
  const store = await agent.runs.store();
  const [run] = await store.runs({ ids: [id] });
  if (run === undefined || run.seq === 0 || run.prepares !== undefined || !ownsRun(caller, run))
    throw notFound('run', id);
  return run;
}

/** Returns a run as clients get it, with its result so far. */
export async function showRun(
  { agent }: ServerContext,
  caller: Caller,
  run: RunSummary,
): Promise<ShownRun & Omit<RunResult, 'runId'>> {
  const events = await readEvents(await agent.runs.store(), run.id);
  return { ...showResult(resultOf(foldRun(events)), run), ...showSummary(caller, run) };
}

/** Returns a result without the members that the run itself has. */
function showResult(
  { runId: _runId, ...result }: RunResult,
  { status }: RunSummary,
): Omit<RunResult, 'runId'> {
  return { ...result, status };
}

/** Reads the events of a run, or some of them. */
export async function readEvents(
  store: Store,
  runId: string,
  from = 1,
  most = Infinity,
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(runId, from)) {
    events.push(event);
    if (events.length >= most) break;
  }
  return events;
}

/** Returns a run's summary as clients get it. Pure. */
export function showSummary(caller: Caller, run: RunSummary): ShownRun {
  const { id, status, skill, title, session, seq, startedAt, updatedAt } = run;
  return {
    id,
    status,
    skill: shownSkillName(skill),
    title,
    ...optional('session', isAlone(session) ? undefined : shownSession(caller, session)),
    events: seq,
    startedAt,
    updatedAt,
  };
}

const alone = 'alone-';

/** Returns the session of a run outside any conversation. Only that run uses it. */
export function aloneSession(random: string): string {
  return `${alone}${random}`;
}

/** Whether only one run uses a session. Such sessions are not shown. */
export function isAlone(session: string): boolean {
  return session.startsWith(alone);
}

/** Returns the position of a run in a list, as an opaque text. Pure. */
export function cursorOf({ id, startedAt }: Pick<RunSummary, 'id' | 'startedAt'>): string {
  return Buffer.from(JSON.stringify([startedAt, id])).toString('base64url');
}

/** Reads a cursor. Returns undefined for text that is not a cursor. Pure. */
export function readCursor(cursor: string): Pick<RunSummary, 'id' | 'startedAt'> | undefined {
  try {
    const [startedAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as readonly unknown[];
    return typeof startedAt === 'number' && typeof id === 'string' ? { startedAt, id } : undefined;
  } catch {
    return undefined; // The text was not returned by this API.
  }
}
