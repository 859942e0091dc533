import type { ChatCommand } from './chat.ts';

/** What can be said to the conversation itself, in the order in which help shows them. */
export const chatCommands: readonly ChatCommand[] = [
  {
    name: 'help',
    summary: 'what can be typed',
    answer: async ({ invocation }) =>
      (await import('./show-help.ts')).showHelp(chatCommands, invocation.terminal.width),
  },
  {
    name: 'skills',
    takes: '[words]',
    summary: 'the skills that you can call; with words, those that fit them',
    answer: async (chat, words) => (await import('./show-skills.ts')).showSkills(chat, words),
  },
  {
    name: 'tree',
    summary: 'the calls of the last run',
    answer: async (chat) => (await import('./show-run.ts')).showTree(chat),
  },
  {
    name: 'why',
    summary: 'what was decided in the last run, and why',
    answer: async (chat) => (await import('./show-run.ts')).showWhy(chat),
  },
  {
    name: 'cost',
    summary: 'tokens and money of the last run and of the whole conversation',
    answer: async (chat) => (await import('./show-cost.ts')).showCost(chat),
  },
  {
    name: 'cancel',
    summary: 'drop a question that waits, and its run',
    answer: async (chat) => (await import('./drop-question.ts')).dropQuestion(chat),
  },
  {
    name: 'reload',
    summary: 'look at the skills and the settings again',
    answer: async (chat) => (await import('./reload-skills.ts')).reloadSkills(chat),
  },
  {
    name: 'clear',
    summary: 'forget what was said, and what skills keep for this conversation',
    answer: async (chat) => (await import('./forget.ts')).forget(chat),
  },
  { name: 'exit', summary: 'leave; Ctrl+D does the same' },
];
