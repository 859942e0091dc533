import { randomBytes } from 'node:crypto';
import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { AgentError } from '../../../core/error.ts';
import type { RunSummary } from '../../../core/store.ts';
import type { CommonFlags } from '../../command.ts';
import { oneLine } from '../../output/text.ts';
import { existingStore, placeOfRuns } from '../../run-store.ts';

/** Which conversation is meant: a new one, the last one, or the one whose id begins so. */
export type Choice = 'new' | 'last' | { readonly id: string };

/** A conversation that is held, and its newest run if there is one. */
export interface Chosen {
  readonly session: string;
  readonly lastRun: string | undefined;
}

const mark = 's_';
const mostRuns = 1_000;
const mostNamed = 5;

/** Finds a conversation by its runs, which are kept longer than what it remembers; throws `usage.not-found`. */
export async function chooseSession(
  agent: RecursiveSkilledAgent,
  choice: Choice,
  flags: CommonFlags,
): Promise<Chosen> {
  if (choice === 'new') return { session: `${mark}${randomBytes(4).toString('hex')}`, lastRun: undefined };
  if (existingStore(flags) === undefined) throw nothingKept(flags);
  const runs = await agent.runs.list({ limit: mostRuns });
  return choice === 'last' ? lastOf(runs, flags) : named(agent, choice.id, runs);
}

function lastOf(runs: readonly RunSummary[], flags: CommonFlags): Chosen {
  const run = runs.find(({ session }) => session.startsWith(mark));
  if (run === undefined) throw nothingKept(flags);
  return { session: run.session, lastRun: run.id };
}

async function named(agent: RecursiveSkilledAgent, id: string, runs: readonly RunSummary[]): Promise<Chosen> {
  const [exact] = await agent.runs.list({ session: id, limit: 1 });
  if (exact !== undefined) return { session: id, lastRun: exact.id };
  const newest = newestBySession(runs);
  const fitting = [...newest.keys()].filter((session) => id !== '' && session.startsWith(id));
  const [session, other] = fitting;
  if (session !== undefined && other === undefined) return { session, lastRun: newest.get(session) };
  const isNone = session === undefined;
  const some = (isNone ? [...newest.keys()].filter(isOfChat) : fitting).slice(0, mostNamed).map(oneLine);
  throw new AgentError(
    'usage.not-found',
    isNone ? `There is no conversation ${id}.` : `Several conversations begin with ${id}.`,
    { hint: some.length === 0 ? beginHint : `The newest are ${some.join(', ')}.` },
  );
}

/** The sessions of runs, the one that was used last first, each with its newest run. */
function newestBySession(runs: readonly RunSummary[]): ReadonlyMap<string, string> {
  const newest = new Map<string, string>();
  for (const { session, id } of runs) if (!newest.has(session)) newest.set(session, id);
  return newest;
}

function isOfChat(session: string): boolean {
  return session.startsWith(mark);
}

const beginHint = 'Begin one: `skilled chat`';

function nothingKept(flags: CommonFlags): AgentError {
  return new AgentError('usage.not-found', `No conversation is kept in ${placeOfRuns(flags)} yet.`, {
    hint: beginHint,
  });
}
