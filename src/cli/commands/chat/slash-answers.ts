import { AgentError, type Skill } from '../../../core/index.ts';
import { count } from '../../../doctor/report.ts';
import { foldRun, whyOf } from '../../../views/index.ts';
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
import { firstStep } from '../../skill-templates.ts';
import {
  openQuestion,
  slashSkills,
  usedText,
  waitingRuns,
  type Chat,
  type ChatCommand,
  type Said,
} from './context.ts';

type Row = readonly [typed: string, summary: string];

/** What can be typed, for people who do not know it yet, in lines of so many columns. Pure. */
export function showHelp(commands: readonly ChatCommand[], columns = Infinity): Said {
  const rows: readonly Row[] = [
    ...commands.map(({ name, takes = '', summary }): Row => [`/${name} ${takes}`.trimEnd(), summary]),
    ['/<skill> [words]', 'call a skill; Tab completes its name'],
    ['@<skill> [words]', 'the same, also for a skill that has the name of a command above'],
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
  'Say what is to be done; the skill that fits is found. A line that ends with \\ goes on in the next.';
const last = [
  'The arrow keys bring back what was typed before. Words that are typed while something runs wait for its end.',
  'Ctrl+C stops what runs and stays here; at an empty line it leaves.',
];

const leastRoom = 30; // with less, the meaning stands below

function linesOf([typed, summary]: Row, widest: number, columns: number): readonly string[] {
  const room = columns - widest - 4;
  if (room < leastRoom) return [`  ${typed}`, ...wrapWords(`    ${summary}`, columns, '    ')];
  const [beside = '', ...below] = wrapWords(summary, room);
  const gap = ' '.repeat(widest + 4);
  return [`  ${typed.padEnd(widest)}  ${beside}`, ...below.map((line) => `${gap}${line}`)];
}

const mostFitting = 10;

/** The skills that people can call here, or of those the ones that fit some words, best first. */
export async function showSkills(chat: Chat, words: string): Promise<Said> {
  const { agent, invocation } = chat;
  const all = slashSkills(chat);
  const shown = words === '' ? all : await fitting(chat, words, all);
  const none =
    words === ''
      ? pasteable(firstStep(agent, invocation.flags).join('\n'), invocation.terminal)
      : 'No skill fits these words.';
  const text = shown.length === 0 ? `${none}\n` : table(columns, shown.map(rowOf), invocation.terminal);
  return { text, document: { ok: true, skills: shown.map((skill) => skillJson(skill)) } };
}

const columns = [{ title: 'TYPE', most: 40 }, { title: 'DESCRIPTION' }] as const;

function rowOf({ name, card }: Skill): readonly Cell[] {
  const typed = `/${name} ${card.argumentHint ?? ''}`;
  return [{ text: oneLine(typed) }, { text: oneLine(card.description) }];
}

/** By meaning every skill is a candidate, however far off; those count that apply, or share a word. */
async function fitting({ agent }: Chat, words: string, skills: readonly Skill[]): Promise<readonly Skill[]> {
  const { candidates, threshold } = await agent.skills.rank(words, { limit: skills.length, learn: false });
  const near = candidates.filter(({ score, why }) => score >= threshold || why.length > 0);
  const best = near.flatMap(({ name }) => agent.skills.get(name) ?? []);
  return best.filter((skill) => skills.includes(skill)).slice(0, mostFitting);
}

/** What the last run used, and all runs of the conversation together. */
export async function showCost(chat: Chat): Promise<Said> {
  const { agent, session, bill } = chat;
  const last = foldRun(await agent.runs.events(mustHaveRun(chat))).totalUsage;
  const { runs, used: all } = await bill.total();
  const text = `last run      ${usedText(last)}\nconversation  ${usedText(all)} in ${count(runs, 'run')}\n`;
  return { text, document: { ok: true, session, runs, last, all } };
}

/** The calls of the last run, as `skilled trace` draws them. */
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

/** What was decided in the last run, as `skilled trace --why` says it. */
export async function showWhy(chat: Chat): Promise<Said> {
  const runId = mustHaveRun(chat);
  const events = await chat.agent.runs.events(runId);
  const reasons = whyOf(events);
  const lines = reasonLines(reasons, foldRun(events).startedAt, chat.invocation.terminal.width);
  return { text: textOf(lines), document: { ok: true, runId, reasons } };
}

/** The last run of the conversation; `usage.not-found` before there is one. */
function mustHaveRun({ lastRun }: Chat): string {
  if (lastRun !== undefined) return lastRun;
  throw new AgentError('usage.not-found', 'Nothing was run in this conversation yet.', {
    hint: 'Say what is to be done, or call a skill: /skills shows them.',
  });
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Ends the run whose question the next line would answer; where there is none, the oldest that waits for a decision. */
export async function dropQuestion(chat: Chat): Promise<Said> {
  const runId = (await openQuestion(chat))?.runId ?? (await waitingRuns(chat))[0]?.id;
  if (runId === undefined)
    return { text: 'Nothing waits in this conversation.\n', document: { ok: true, cancelled: [] } };
  await chat.agent.runs.cancel(runId, 'The question was dropped.');
  return { text: `Dropped, and run ${runId} cancelled.\n`, document: { ok: true, cancelled: [runId] } };
}

/** Looks at the disk and the settings again, and says which commands came and went. */
export async function reloadSkills(chat: Chat): Promise<Said> {
  const before = namesOf(chat);
  await chat.agent.reload();
  const after = namesOf(chat);
  const added = [...after].filter((name) => !before.has(name));
  const removed = [...before].filter((name) => !after.has(name));
  const changes = [...listed('new', added), ...listed('gone', removed)].join('; ');
  const text = `${count(after.size, 'skill')} to call${changes === '' ? '' : `; ${changes}`}.\n`;
  return { text, document: { ok: true, skills: after.size, added, removed } };
}

function namesOf(chat: Chat): ReadonlySet<string> {
  return new Set(slashSkills(chat).map(({ name }) => name));
}

function listed(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${names.map((name) => `/${oneLine(name)}`).join(', ')}`];
}
