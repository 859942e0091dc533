import { AgentError, isAgentError } from '../../core/error.ts';
import type { Scope } from '../../core/scope.ts';
import { baseSystem } from '../../engines/loop/base-system.ts';
import type { SubagentDefinition } from './definition.ts';
import { readProjectNotes } from './project-notes.ts';

/** What a subagent is told before its task: its prompt, the notes of the project, its skills. Throws for a skill that cannot be used. */
export async function buildSystemText(definition: SubagentDefinition, scope: Scope): Promise<string> {
  const { systemPrompt, systemPromptMode, inheritProjectContext } = definition;
  const injected = await skillsText(definition, scope);
  const notes = inheritProjectContext ? await readProjectNotes(scope) : '';
  return [systemPromptMode === 'append' ? baseSystem : '', systemPrompt(), notes, injected]
    .filter((part) => part !== '')
    .join('\n\n');
}

async function skillsText(definition: SubagentDefinition, scope: Scope): Promise<string> {
  const { skills = [], skillInjection, skillPath } = definition;
  if (skills.length === 0) return '';
  try {
    return await scope.inject(skills, skillInjection, skillPath);
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const { code, message, hint = 'Correct "skills", or add the skill.' } = thrown;
    throw new AgentError(code, `"${scope.skill.name}" asks for skills: ${message}`, { hint });
  }
}
