import { AgentError, nearestNames, notForPeople, type Skill } from '../../../core/index.ts';
import { shellWord, statusText } from '../../command-kit.ts';
import { openQuestion, slashSkills, type Chat, type ChatCommand } from './context.ts';

/**
 * Throws unless the name after a slash or an at sign is the exact name of a skill that people may call here.
 * The `skill.not-found` error suggests similar names.
 */
export async function mustBeCommand(chat: Chat, mark = '/', name = ''): Promise<void> {
  if (name === '')
    throw new AgentError('usage.bad-input', 'Missing name after the slash.', { hint: whereNamesAre });
  const skills = slashSkills(chat);
  if (isCallable(chat, name)) return;
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

/** Whether people may call a skill with this name here. Throws if there is such a skill that they may not call. */
function isCallable(chat: Chat, name: string): boolean {
  if (slashSkills(chat).some((skill) => isCalled(skill, name))) return true;
  const other = chat.agent.skills
    .list()
    .find((skill) => isCalled(skill, name) && skill.status !== 'shadowed');
  if (other !== undefined) throw cannotBeCalled(other);
  return false;
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
    name: 'use',
    takes: '<skill> [text]',
    summary: 'send the text, or the last prompt again, to this skill',
    async answer(chat, args) {
      const request = (await import('./slash-actions.ts')).useSkill(chat, args);
      await mustBeCommand(chat, '@', request.skill);
      return request;
    },
  },
  {
    name: 'assistant',
    takes: '[text]',
    summary: 'send the text, or the last prompt again, to the assistant instead of a skill',
    answer: async (chat, text) => (await import('./slash-actions.ts')).useAssistant(chat, text),
  },
  {
    name: 'model',
    takes: '[model]',
    summary: 'show the models, or use this model in the conversation',
    answer: async (chat, name) => (await import('./slash-actions.ts')).chooseModel(chat, name.trim()),
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
    name: 'compact',
    summary: 'summarise the older part of the conversation, so that it takes less room',
    answer: async (chat) => (await import('./turn.ts')).compactTurns(chat),
  },
  {
    name: 'resume',
    takes: '[conversation]',
    summary: 'list earlier conversations, or continue one here',
    answer: async (chat, id) => (await import('./slash-actions.ts')).resumeSession(chat, id.trim()),
  },
  {
    name: 'tools',
    summary: 'the tools that models can use',
    answer: async (chat) => (await import('./slash-actions.ts')).showTools(chat),
  },
  {
    name: 'mcp',
    summary: 'the MCP servers of your settings and the project',
    answer: async (chat) => {
      const { runCommand } = await import('./slash-actions.ts');
      return runCommand(chat, (await import('../setup/mcp.ts')).serveMcp, ['list']);
    },
  },
  {
    name: 'trust',
    takes: '[skill]',
    summary: 'show what may run code, or trust a skill in its current version',
    answer: async (chat, name) => {
      const { runCommand } = await import('./slash-actions.ts');
      const args = name.trim() === '' ? ['list'] : ['grant', name.trim()];
      return runCommand(chat, (await import('../trust/trust.ts')).trust, args);
    },
  },
  {
    name: 'init',
    summary: 'set up a project here: settings, an ignore file and a first skill',
    answer: async (chat) => {
      const { runCommand } = await import('./slash-actions.ts');
      return runCommand(chat, (await import('../authoring/init.ts')).init, []);
    },
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
