import type { AgentSkillDefinition } from './definition.ts';

/** Whether a skill has hooks, or text that could be dynamic context; rather once too often than once too seldom. */
export function runsCode({ body, hooks }: Pick<AgentSkillDefinition, 'body' | 'hooks'>): boolean {
  if (hooks !== undefined) return true;
  const text = body();
  return text.includes('!`') || /(?:`{3}|~{3})[^\n]*!/.test(text);
}
