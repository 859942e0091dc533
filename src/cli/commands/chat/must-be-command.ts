import { AgentError } from '../../../core/error.ts';
import { nearestNames } from '../../../core/names.ts';
import { notForPeople } from '../../../core/define-skill.ts';
import type { Skill } from '../../../core/skill.ts';
import { statusText } from '../../output/status.ts';
import { shellWord } from '../../shell-word.ts';
import type { Chat } from './chat.ts';
import { chatCommands } from './chat-commands.ts';
import { openQuestion } from './open-question.ts';
import { slashSkills } from './slash-skills.ts';

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
