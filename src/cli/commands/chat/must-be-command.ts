import { AgentError } from '../../../core/error.ts';
import { nearestNames } from '../../../core/names.ts';
import type { Skill } from '../../../core/skill.ts';
import { statusText } from '../../output/status.ts';
import type { Chat } from './chat.ts';
import { chatCommands } from './chat-commands.ts';
import { slashSkills } from './slash-skills.ts';

/** Refuses a slash command that is not exactly the name of a skill that people may call here; `skill.not-found` names the nearest. */
export function mustBeCommand(chat: Pick<Chat, 'agent'>, name: string): void {
  const skills = slashSkills(chat);
  if (skills.some((skill) => isCalled(skill, name))) return;
  const other = chat.agent.skills
    .list()
    .find((skill) => isCalled(skill, name) && skill.status !== 'shadowed');
  if (other !== undefined) throw notForPeople(other);
  const near = nearestNames(
    name,
    [...chatCommands, ...skills].map((one) => one.name),
  );
  throw new AgentError('skill.not-found', `There is neither a command nor a skill "/${name}".`, {
    hint:
      near.length === 0
        ? '/skills shows the skills, /help the commands.'
        : `Did you mean ${near.map((one) => `/${one}`).join(' or ')}?`,
  });
}

/** Names are compared letter by letter: `hello-world` is not `hello_world`. */
function isCalled({ name, aliases }: Skill, word: string): boolean {
  return name === word || aliases.includes(word);
}

function notForPeople(skill: Skill): AgentError {
  if (skill.status === 'ready')
    return new AgentError('usage.bad-input', `"${skill.name}" says of itself that people do not call it.`, {
      hint: `To run it all the same: skilled run --skill ${skill.name}`,
    });
  return new AgentError('skill.unavailable', `"${skill.name}" cannot be used here: ${statusText(skill)}.`, {
    hint: `See what it needs: skilled show ${skill.name}`,
  });
}
