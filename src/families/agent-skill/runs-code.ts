import type { AgentSkillDefinition } from './definition.ts';
import { hasCommands } from './render/render-body.ts';

/** Whether a skill has hooks, or commands in its text. */
export function runsCode({ body, hooks }: Pick<AgentSkillDefinition, 'body' | 'hooks'>): boolean {
  return hooks !== undefined || hasCommands(body());
}
