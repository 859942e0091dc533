import { AgentError, nearestNames, notForPeople, type Skill } from '../../../core/index.ts';
import { oneLine, shellWord, statusText, type Complete } from '../../command-kit.ts';
import { openQuestion, slashSkills, type Chat, type ChatCommand } from './context.ts';

/**
 * Refuses a name behind a slash or an at sign that is not exactly that of a skill which people may call here;
 * `skill.not-found` names the nearest.
 */
export async function mustBeCommand(chat: Chat, mark = '/', name = ''): Promise<void> {
  if (name === '')
    throw new AgentError('usage.bad-input', 'Behind the slash there is no name.', { hint: whereNamesAre });
  const skills = slashSkills(chat);
  if (skills.some((skill) => isCalled(skill, name))) return;
  const other = chat.agent.skills
    .list()
    .find((skill) => isCalled(skill, name) && skill.status !== 'shadowed');
  if (other !== undefined) throw cannotBeCalled(other);
  const commands = mark === '/' ? chatCommands : [];
  const near = nearestNames(
    name,
    [...commands, ...skills].map((one) => one.name),
  );
  const kinds = mark === '/' ? 'neither a command nor a skill' : 'no skill';
  const hint =
    near.length === 0 ? whereNamesAre : `Did you mean ${near.map((one) => `${mark}${one}`).join(' or ')}?`;
  throw new AgentError('skill.not-found', `There is ${kinds} "${mark}${name}".`, {
    hint: [hint, ...(await howToAnswer(chat))].join(' '),
  });
}

const whereNamesAre = '/skills shows the skills, /help the commands.';

/** What begins so is never taken for an answer, and a path may be one. */
async function howToAnswer(chat: Chat): Promise<readonly string[]> {
  const asking = await openQuestion(chat);
  if (asking === undefined) return [];
  return [`If it is the answer: \`skilled resume ${shellWord(asking.runId)} "<answer>"\``];
}

/** Names are compared letter by letter: `hello-world` is not `hello_world`. */
function isCalled({ name, aliases }: Skill, word: string): boolean {
  return name === word || aliases.includes(word);
}

function cannotBeCalled(skill: Skill): AgentError {
  if (skill.status === 'ready')
    return notForPeople(skill.name, `To run it all the same: \`skilled run --skill ${skill.name}\``);
  return new AgentError('skill.unavailable', `"${skill.name}" cannot be used here: ${statusText(skill)}.`, {
    hint: `See what it needs: \`skilled show ${skill.name}\``,
  });
}

/** What can be said to the conversation itself, in the order in which help shows them. */
export const chatCommands: readonly ChatCommand[] = [
  {
    name: 'help',
    summary: 'what can be typed',
    answer: async ({ invocation }) =>
      (await import('./slash-answers.ts')).showHelp(chatCommands, invocation.terminal.width),
  },
  {
    name: 'skills',
    takes: '[words]',
    summary: 'the skills that you can call; with words, those that fit them',
    answer: async (chat, words) => (await import('./slash-answers.ts')).showSkills(chat, words),
  },
  {
    name: 'tree',
    summary: 'the calls of the last run',
    answer: async (chat) => (await import('./slash-answers.ts')).showTree(chat),
  },
  {
    name: 'why',
    summary: 'what was decided in the last run, and why',
    answer: async (chat) => (await import('./slash-answers.ts')).showWhy(chat),
  },
  {
    name: 'cost',
    summary: 'tokens and money of the last run and of the whole conversation',
    answer: async (chat) => (await import('./slash-answers.ts')).showCost(chat),
  },
  {
    name: 'cancel',
    summary: 'drop a question that waits, and its run',
    answer: async (chat) => (await import('./slash-answers.ts')).dropQuestion(chat),
  },
  {
    name: 'reload',
    summary: 'look at the skills and the settings again',
    answer: async (chat) => (await import('./slash-answers.ts')).reloadSkills(chat),
  },
  {
    name: 'clear',
    summary: 'forget what was said, and what skills keep for this conversation',
    answer: async (chat) => (await import('./session.ts')).forget(chat),
  },
  { name: 'exit', summary: 'leave; Ctrl+D does the same' },
];

/** Completes what begins with a slash, or with an at sign for skills; a name that is complete tells what it takes. */
export function completer(chat: Pick<Chat, 'agent'>, commands: readonly ChatCommand[]): Complete {
  return (typed) => {
    const [, sign, beginning = ''] = /^([/@])(\S*) ?$/.exec(typed) ?? [];
    if (sign === undefined) return { lines: [] };
    const own = sign === '/' ? commands : [];
    const skills = slashSkills(chat).filter(({ name }) => !own.some((command) => command.name === name));
    const takes = new Map<string, string | undefined>([
      ...own.map((command) => [command.name, command.takes] as const),
      ...skills.map(({ name, card }) => [name, card.argumentHint] as const),
    ]);
    const isWhole = typed.endsWith(' ');
    const fitting = [...takes.keys()].filter((name) => !isWhole && name.startsWith(beginning));
    const [only, other] = fitting;
    const lines = fitting.map((name) => `${sign}${oneLine(name)}${other === undefined ? ' ' : ''}`);
    const complete = isWhole || (other === undefined && only === beginning) ? beginning : undefined;
    const hint = complete === undefined ? undefined : takes.get(complete);
    return hint === undefined ? { lines } : { lines, hint: `  ${sign}${beginning} ${oneLine(hint)}` };
  };
}
