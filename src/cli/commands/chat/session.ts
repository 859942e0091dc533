import { randomBytes } from 'node:crypto';
import { AgentError, asText, type RunSummary } from '../../../core/index.ts';
import { foldRun, type RunTree } from '../../../views/index.ts';
import {
  cutTo,
  manyLines,
  oneLine,
  type CommonFlags,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { existingStore, placeOfRuns } from '../../runs/run-store.ts';
import { openQuestion, type Chat, type Said } from './context.ts';

/** Which conversation is meant: a new one, the last one, or the one whose id begins so. */
export type SessionChoice = 'new' | 'last' | { readonly id: string };

/** A conversation that is held, and its newest run if there is one. */
interface Chosen {
  readonly session: string;
  readonly lastRun: string | undefined;
}

const mark = 's_';
const mostRuns = 1_000;
const mostNamed = 5;

/** Finds a conversation by its runs, which are kept longer than what it remembers; throws `usage.not-found`. */
export async function chooseSession(
  agent: RecursiveSkilledAgent,
  choice: SessionChoice,
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

const mostTurns = 3;
const mostLines = 8;
const mostColumns = 500;

/** The last things that were said in a conversation and what they came to, in lines; nothing of what it was told to forget. */
export async function earlierTurns(chat: Chat): Promise<readonly string[]> {
  const { agent, session } = chat;
  const since = await forgottenAt(chat);
  const runs = await agent.runs.list({ session, limit: mostTurns });
  const turns = await Promise.all(
    runs
      .toReversed()
      .filter(({ startedAt }) => startedAt > since)
      .map(async ({ id }) => foldRun(await agent.runs.events(id))),
  );
  return turns.flatMap((tree) => [`> ${cutTo(oneLine(saidIn(tree)), mostColumns)}`, ...answerIn(tree)]);
}

function saidIn({ prompt, skill, input }: RunTree): string {
  return prompt ?? `/${skill} ${input === null ? '' : asText(input)}`;
}

/** The beginning of an answer; of a run without one, how it stands. */
function answerIn({ output, status }: RunTree): readonly string[] {
  const text =
    output?.status === 'failed' ? `error: ${output.error.message}` : (output?.text ?? `(${status})`);
  const lines = manyLines(text.trimEnd())
    .split('\n')
    .map((line) => cutTo(line, mostColumns));
  return lines.length <= mostLines ? lines : [...lines.slice(0, mostLines - 1), '…'];
}

const key = 'chat.forgotten-at';

/** Lets a conversation begin anew: what was said in it and what skills keep for it is forgotten, its runs are not. */
export async function forget(chat: Chat): Promise<Said> {
  const { agent, session, lastRun } = chat;
  if (lastRun !== undefined) {
    await agent.clearSessionMemory(session);
    await agent.getSessionMemory(session).set(key, Date.now());
  }
  const waits = (await openQuestion(chat)) === undefined ? '' : ' A question still waits; /cancel drops it.';
  return { text: `Forgotten.${waits}\n`, document: { ok: true, session } };
}

/** When a conversation last began anew, in milliseconds since 1970; 0 when it never did. */
async function forgottenAt({ agent, session }: Chat): Promise<number> {
  const at = await agent.getSessionMemory(session).get(key);
  return typeof at === 'number' ? at : 0;
}
