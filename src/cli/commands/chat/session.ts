import { randomBytes } from 'node:crypto';
import { AgentError, asText, type RunEvent, type RunSummary } from '../../../core/index.ts';
import { foldRun, type RunTree } from '../../../views/index.ts';
import {
  cutTo,
  manyLines,
  oneLine,
  wrapWords,
  type CommonFlags,
  type RecursiveSkilledAgent,
  type Terminal,
} from '../../command-kit.ts';
import { renderMarkdown } from '../../output/markdown/render.ts';
import { existingStore, describeStore } from '../../runs/run-store.ts';
import { openQuestion, type Chat, type Said } from './context.ts';
import { chosenLine, isChosenForUser } from './transcript.ts';

/** The conversation to open: a new one, the most recent one, or the one whose id starts with `id`. */
export type SessionChoice = 'new' | 'last' | { readonly id: string };

/** The selected conversation and its newest run, if any. */
interface Chosen {
  readonly session: string;
  readonly lastRun: string | undefined;
}

const mark = 's_';
const maxRuns = 1_000;
const maxNamed = 5;

/**
 * Finds a conversation by its runs, which are stored longer than the conversation's memory. Throws
 * `usage.not-found` if no conversation matches.
 */
export async function chooseSession(
  agent: RecursiveSkilledAgent,
  choice: SessionChoice,
  flags: CommonFlags,
): Promise<Chosen> {
  if (choice === 'new') return { session: `${mark}${randomBytes(4).toString('hex')}`, lastRun: undefined };
  if (existingStore(flags) === undefined) throw noConversation(flags);
  const runs = await agent.runs.list({ limit: maxRuns });
  return choice === 'last' ? lastOf(runs, flags) : named(agent, choice.id, runs);
}

function lastOf(runs: readonly RunSummary[], flags: CommonFlags): Chosen {
  const run = runs.find(({ session }) => session.startsWith(mark));
  if (run === undefined) throw noConversation(flags);
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
  const some = (isNone ? [...newest.keys()].filter(isOfChat) : fitting).slice(0, maxNamed).map(oneLine);
  throw new AgentError(
    'usage.not-found',
    isNone ? `Conversation ${id} not found.` : `Several conversation ids start with ${id}.`,
    { hint: some.length === 0 ? beginHint : `The newest are ${some.join(', ')}.` },
  );
}

/** Returns the newest run of each session, most recently used session first. */
function newestBySession(runs: readonly RunSummary[]): ReadonlyMap<string, string> {
  const newest = new Map<string, string>();
  for (const { session, id } of runs) if (!newest.has(session)) newest.set(session, id);
  return newest;
}

function isOfChat(session: string): boolean {
  return session.startsWith(mark);
}

const beginHint = 'Start one: `skilled chat`';

function noConversation(flags: CommonFlags): AgentError {
  return new AgentError('usage.not-found', `There are no conversations in ${describeStore(flags)} yet.`, {
    hint: beginHint,
  });
}

/** A conversation in the store. */
interface RecentSession {
  readonly session: string;
  /** The time of the last turn, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The first prompt. */
  readonly said: string;
}

const maxRecent = 10;

/** Returns the most recent conversations other than this one, newest first. */
export async function recentSessions({ agent, session: own }: Chat): Promise<readonly RecentSession[]> {
  const runs = (await agent.runs.list({ limit: maxRuns })).filter(({ session }) => isOfChat(session));
  const sessions = [...Map.groupBy(runs, ({ session }) => session)].filter(([session]) => session !== own);
  return Promise.all(
    sessions.slice(0, maxRecent).map(async ([session, [newest, ...older]]) => {
      const first = older.at(-1) ?? newest;
      const said = first === undefined ? '' : saidIn(foldRun(await agent.runs.events(first.id)));
      return { session, at: newest?.startedAt ?? 0, said };
    }),
  );
}

const maxTurns = 3;
const maxLines = 8;
const maxColumns = 500;

/**
 * Formats the last turns of a conversation and their answers as lines. Turns from before the conversation was
 * cleared are omitted.
 */
export async function earlierTurns(chat: Chat): Promise<readonly string[]> {
  const { agent, session } = chat;
  const since = await forgottenAt(chat);
  const runs = await agent.runs.list({ session, limit: maxTurns });
  const turns = await Promise.all(
    runs
      .toReversed()
      .filter(({ startedAt }) => startedAt > since)
      .map(async ({ id }) => agent.runs.events(id)),
  );
  const { terminal } = chat.invocation;
  return turns.flatMap((events, index) => {
    const tree = foldRun(events);
    const said = wrapWords(`> ${cutTo(oneLine(saidIn(tree)), maxColumns)}`, terminal.width ?? Infinity, '  ');
    const between = index === 0 || terminal.width === undefined ? [] : [''];
    return [...between, ...said, ...chosenIn(events, terminal), ...shownAnswer(tree, events, terminal)];
  });
}

/** Returns the line that names the skill that answered, if the user did not choose it. */
function chosenIn(events: readonly RunEvent[], terminal: Terminal): readonly string[] {
  const event = events.find(({ type }) => type === 'skill.selected');
  return event?.type === 'skill.selected' && isChosenForUser(event) ? [chosenLine(event, terminal)] : [];
}

function saidIn({ prompt, skill, input }: RunTree): string {
  return prompt ?? `/${skill} ${input === null ? '' : asText(input)}`;
}

/** Returns the start of a run's answer, laid out as when it was given. */
function shownAnswer(
  tree: RunTree,
  events: readonly RunEvent[],
  { width, color }: Terminal,
): readonly string[] {
  const text = tree.output?.text ?? '';
  const isWritten = events.some(
    (event) => event.type === 'model.ended' && event.reply.text.trim() === text.trim(),
  );
  if (width === undefined || !isWritten || text === '') return answerIn(tree);
  const lines = renderMarkdown(text, { width, color });
  return lines.length <= maxLines ? lines : [...lines.slice(0, maxLines - 1), '…'];
}

/** Returns the start of a run's answer, or the run's status if it has no answer. */
function answerIn({ output, status }: RunTree): readonly string[] {
  const text =
    output?.status === 'failed'
      ? `error: ${output.error.message}`
      : (output?.text ?? (status === 'running' ? '(not finished)' : `(${status})`));
  const lines = manyLines(text.trimEnd())
    .split('\n')
    .map((line) => cutTo(line, maxColumns));
  return lines.length <= maxLines ? lines : [...lines.slice(0, maxLines - 1), '…'];
}

const key = 'chat.forgotten-at';

/**
 * Clears a conversation's messages, its open question and everything that skills stored for it. Does not
 * delete its runs.
 */
export async function forget(chat: Chat): Promise<Said> {
  const { agent, session, lastRun } = chat;
  const isAsked = (await openQuestion(chat)) !== undefined;
  if (lastRun !== undefined) {
    await agent.clearSessionMemory(session);
    await agent.getSessionMemory(session).set(key, Date.now());
  }
  chat.shown = undefined;
  const dropped = isAsked ? ' The open question was dropped.' : '';
  return { text: `Forgotten.${dropped}\n`, document: { ok: true, session } };
}

/** Returns the time when a conversation was last cleared, in milliseconds since the Unix epoch, or 0. */
async function forgottenAt({ agent, session }: Chat): Promise<number> {
  const at = await agent.getSessionMemory(session).get(key);
  return typeof at === 'number' ? at : 0;
}
