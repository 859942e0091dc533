import { AgentError, counted, type Skill } from '../../../core/index.ts';
import { foldRun, explainRun } from '../../../views/index.ts';
import {
  drawTree,
  headOf,
  oneLine,
  pasteable,
  reasonLines,
  skillJson,
  table,
  wrapWords,
  type Cell,
} from '../../command-kit.ts';
import { stillOpenLines } from '../../runs/questions.ts';
import { firstStep } from '../../skill-templates.ts';
import {
  isAtTerminal,
  openQuestion,
  showOldest,
  slashSkills,
  usedText,
  waitingRuns,
  type Chat,
  type ChatCommand,
  type Said,
} from './context.ts';

type Row = readonly [typed: string, summary: string];

/** Formats the conversation's help in lines of at most `columns` characters. Pure. */
export function showHelp(commands: readonly ChatCommand[], columns = Infinity): Said {
  const rows: readonly Row[] = [
    ...commands.map(({ name, takes = '', summary }): Row => [`/${name} ${takes}`.trimEnd(), summary]),
    ['/<skill> [words]', 'call a skill; Tab completes its name'],
    ['@<skill> [words]', 'the same, also for a skill with the name of a command above'],
    ['@<path>', 'include a file or a picture; works anywhere in a line'],
    ['!<command>', 'run a shell command'],
  ];
  const widest = Math.max(...rows.map(([typed]) => typed.length));
  const lines = [
    ...wrapWords(first, columns),
    '',
    ...rows.flatMap((row) => linesOf(row, widest, columns)),
    '',
    ...last.flatMap((line) => wrapWords(line, columns)),
  ];
  const text = lines.map((line) => `${line}\n`).join('');
  return { text, document: { ok: true, help: text } };
}

const first =
  'Say what you would like to do; skilled finds the right skill. A line that ends with \\ continues on the next.';
const last = [
  'Use the arrow keys to recall earlier lines, and Ctrl+R to search them.',
  'During a run, Enter sends your line to it. Esc or Ctrl+C stops the run; on an empty line, Ctrl+C exits.',
];

const leastRoom = 30; // The minimum width for a description next to its command.

function linesOf([typed, summary]: Row, widest: number, columns: number): readonly string[] {
  const room = columns - widest - 4;
  if (room < leastRoom) return [`  ${typed}`, ...wrapWords(`    ${summary}`, columns, '    ')];
  const [beside = '', ...below] = wrapWords(summary, room);
  const gap = ' '.repeat(widest + 4);
  return [`  ${typed.padEnd(widest)}  ${beside}`, ...below.map((line) => `${gap}${line}`)];
}

const maxFitting = 10;

/** Lists the skills that people can call here. For a query, lists only the matching skills, best first. */
export async function showSkills(chat: Chat, query: string): Promise<Said> {
  const { agent, invocation } = chat;
  const all = slashSkills(chat);
  const shown = query === '' ? all : await fitting(chat, query, all);
  const none =
    query === ''
      ? pasteable(firstStep(agent, invocation.flags).join('\n'), invocation.terminal)
      : 'No skill matches.';
  const isFolded = query === '' && isAtTerminal(chat);
  const rows = isFolded ? shown.filter(({ source }) => source !== 'bundled') : shown;
  const list = rows.length === 0 ? `${none}\n` : table(columns, rows.map(rowOf), invocation.terminal);
  const text = isFolded ? `${list}${foldedText(shown)}` : list;
  return { text, document: { ok: true, skills: shown.map((skill) => skillJson(skill)) } };
}

/** Lists the built-in skills on one line. */
function foldedText(skills: readonly Skill[]): string {
  const names = skills.filter(({ source }) => source === 'bundled').map(({ name }) => `/${oneLine(name)}`);
  return names.length === 0 ? '' : `Built in: ${names.join(' ')}\n`;
}

const columns = [{ title: 'TYPE', most: 40 }, { title: 'DESCRIPTION' }] as const;

function rowOf({ name, card }: Skill): readonly Cell[] {
  const typed = `/${name} ${card.argumentHint ?? ''}`;
  return [{ text: oneLine(typed) }, { text: oneLine(card.description) }];
}

/**
 * Returns the skills that match a query. Because semantic ranking returns every skill, a match must also
 * exceed a score threshold or share a word with the query.
 */
async function fitting({ agent }: Chat, query: string, skills: readonly Skill[]): Promise<readonly Skill[]> {
  const { candidates, threshold } = await agent.skills.rank(query, { limit: skills.length, learn: false });
  const near = candidates.filter(({ score, why }) => score >= threshold || why.length > 0);
  const best = near.flatMap(({ name }) => agent.skills.get(name) ?? []);
  return best.filter((skill) => skills.includes(skill)).slice(0, maxFitting);
}

/** Shows the usage of the last run and of the entire conversation. */
export async function showCost(chat: Chat): Promise<Said> {
  const { agent, session, bill } = chat;
  const last = foldRun(await agent.runs.events(mustHaveRun(chat))).totalUsage;
  const { runs, used: all } = await bill.total();
  const text = `last run      ${usedText(last)}\nconversation  ${usedText(all)} in ${counted(runs, 'run')}\n`;
  return { text, document: { ok: true, session, runs, last, all } };
}

/** Shows the calls of the last run as a tree, like `skilled trace`. */
export async function showTree(chat: Chat): Promise<Said> {
  const { agent, invocation } = chat;
  const id = mustHaveRun(chat);
  const { status } = await agent.runs.find(id);
  const tree = foldRun(await agent.runs.events(id));
  const { terminal } = invocation;
  const now = tree.endedAt ?? tree.updatedAt;
  const isInterrupted = status === 'interrupted';
  const lines = [
    headOf(tree, status, now, terminal),
    ...drawTree(tree, { now, width: terminal.width, terminal, isInterrupted }),
  ];
  return { text: textOf(lines), document: { ok: true, status, run: tree } };
}

/** Shows the decisions in the last run, like `skilled trace --why`. */
export async function showWhy(chat: Chat): Promise<Said> {
  const runId = mustHaveRun(chat);
  const events = await chat.agent.runs.events(runId);
  const reasons = explainRun(events);
  const lines = reasonLines(reasons, foldRun(events).startedAt, chat.invocation.terminal.width);
  return { text: textOf(lines), document: { ok: true, runId, reasons } };
}

/** Returns the conversation's last run. Throws `usage.not-found` if it has no runs yet. */
function mustHaveRun({ lastRun }: Chat): string {
  if (lastRun !== undefined) return lastRun;
  throw new AgentError('usage.not-found', 'This conversation has no runs yet.', {
    hint: 'Say what you would like to do, or call a skill. Use /skills to list skills.',
  });
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * Cancels the run whose question the next line would answer. If no question is waiting, cancels the run that
 * has waited longest for an approval.
 */
export async function dropQuestion(chat: Chat): Promise<Said> {
  const runId = (await openQuestion(chat))?.runId ?? (await waitingRuns(chat))[0]?.id;
  if (runId === undefined)
    return { text: 'Nothing is waiting in this conversation.\n', document: { ok: true, cancelled: [] } };
  await chat.agent.runs.cancel(runId, 'The question was dropped.');
  const next = await showOldest(chat);
  const { terminal } = chat.invocation;
  const lines = next === undefined ? [] : [...stillOpenLines(next, terminal), '  Your next line answers it.'];
  return {
    text: [`Dropped the question and cancelled run ${runId}.`, ...lines, ''].join('\n'),
    document: { ok: true, cancelled: [runId] },
  };
}

/** Reloads skills and settings, and prints which commands were added or removed. */
export async function reloadSkills(chat: Chat): Promise<Said> {
  const before = namesOf(chat);
  await chat.agent.reload();
  const after = namesOf(chat);
  const added = [...after].filter((name) => !before.has(name));
  const removed = [...before].filter((name) => !after.has(name));
  const changes = [...listed('new', added), ...listed('gone', removed)].join('; ');
  const text = `${counted(after.size, 'skill')} available${changes === '' ? '' : `; ${changes}`}.\n`;
  return { text, document: { ok: true, skills: after.size, added, removed } };
}

function namesOf(chat: Chat): ReadonlySet<string> {
  return new Set(slashSkills(chat).map(({ name }) => name));
}

function listed(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${names.map((name) => `/${oneLine(name)}`).join(', ')}`];
}
