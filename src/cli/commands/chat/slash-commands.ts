import { AgentError, nearestNames, notForPeople, type Skill } from '../../../core/index.ts';
import { oneLine, shellWord, statusText, type Complete } from '../../command-kit.ts';
import { openQuestion, slashSkills, type Chat, type ChatCommand } from './context.ts';

/**
 * Throws unless the name after a slash or an at sign is the exact name of a skill that people may call here.
 * The `skill.not-found` error suggests similar names.
 */
export async function mustBeCommand(chat: Chat, mark = '/', name = ''): Promise<void> {
  if (name === '')
    throw new AgentError('usage.bad-input', 'Missing name after the slash.', { hint: whereNamesAre });
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
  const kinds = mark === '/' ? 'no command or skill' : 'no skill';
  const hint =
    near.length === 0 ? whereNamesAre : `Did you mean ${near.map((one) => `${mark}${one}`).join(' or ')}?`;
  throw new AgentError('skill.not-found', `There is ${kinds} "${mark}${name}".`, {
    hint: [hint, ...(await howToAnswer(chat))].join(' '),
    details: { near: [...near] },
  });
}

const whereNamesAre = 'Use /skills to list skills, or /help to list commands.';

/**
 * If a question is waiting, explains how to send the text as an answer. The conversation itself never treats
 * text that starts with a slash or an at sign, such as a path, as an answer.
 */
async function howToAnswer(chat: Chat): Promise<readonly string[]> {
  const asking = await openQuestion(chat);
  if (asking === undefined) return [];
  return [`If it is the answer: \`skilled resume ${shellWord(asking.runId)} "<answer>"\``];
}

/** Whether a skill has exactly this name or alias. `hello-world` does not match `hello_world`. */
function isCalled({ name, aliases }: Skill, nameOrAlias: string): boolean {
  return name === nameOrAlias || aliases.includes(nameOrAlias);
}

function cannotBeCalled(skill: Skill): AgentError {
  if (skill.status === 'ready')
    return notForPeople(skill.name, `To run it anyway: \`skilled run --skill ${skill.name}\``);
  return new AgentError('skill.unavailable', `"${skill.name}" cannot be used here: ${statusText(skill)}.`, {
    hint: `See what it needs: \`skilled show ${skill.name}\``,
  });
}

/** The chat's own commands, in the order in which help lists them. */
export const chatCommands: readonly ChatCommand[] = [
  {
    name: 'help',
    summary: 'list these commands',
    answer: async ({ invocation }) =>
      (await import('./slash-answers.ts')).showHelp(chatCommands, invocation.terminal.width),
  },
  {
    name: 'skills',
    takes: '[words]',
    summary: 'the skills that you can call; with words, the best matches',
    answer: async (chat, query) => (await import('./slash-answers.ts')).showSkills(chat, query),
  },
  {
    name: 'tree',
    summary: 'the calls of the last run',
    answer: async (chat) => (await import('./slash-answers.ts')).showTree(chat),
  },
  {
    name: 'why',
    summary: 'the decisions in the last run, and why',
    answer: async (chat) => (await import('./slash-answers.ts')).showWhy(chat),
  },
  {
    name: 'cost',
    summary: 'tokens and cost of the last run and of the conversation',
    answer: async (chat) => (await import('./slash-answers.ts')).showCost(chat),
  },
  {
    name: 'cancel',
    summary: 'drop an open question and cancel its run',
    answer: async (chat) => (await import('./slash-answers.ts')).dropQuestion(chat),
  },
  {
    name: 'reload',
    summary: 'reload skills and settings',
    answer: async (chat) => (await import('./slash-answers.ts')).reloadSkills(chat),
  },
  {
    name: 'clear',
    summary: 'forget what was said, and what skills stored for this conversation',
    answer: async (chat) => (await import('./session.ts')).forget(chat),
  },
  { name: 'exit', summary: 'exit; Ctrl+D does the same' },
];

/**
 * Returns a function that completes the names of commands and skills after a slash, and the names of skills
 * after an at sign. For a complete name, returns its arguments as a hint.
 */
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
