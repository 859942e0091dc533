import type { Skill } from '../../../core/skill.ts';
import type { Chat } from './chat.ts';

/** The skills that people call by a slash and their name, in the order of their names. */
export function slashSkills({ agent }: Pick<Chat, 'agent'>): readonly Skill[] {
  return agent.skills.list().filter(({ status, card }) => status === 'ready' && card.userInvocable !== false);
}
