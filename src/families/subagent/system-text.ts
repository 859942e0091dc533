import type { Scope } from '../../core/scope.ts';
import { baseSystem } from '../../engines/loop/base-system.ts';
import type { SubagentDefinition } from './definition.ts';
import { readProjectNotes } from './project-notes.ts';

/** What a subagent is told before its task: its prompt, the notes of the project, its skills. Throws for a skill that cannot be used. */
export async function buildSystemText(definition: SubagentDefinition, scope: Scope): Promise<string> {
  const { systemPrompt, systemPromptMode, inheritProjectContext } = definition;
  const { skills = [], skillInjection, skillPath } = definition;
  const injected = skills.length === 0 ? '' : await scope.inject(skills, skillInjection, skillPath);
  const notes = inheritProjectContext ? await readProjectNotes(scope) : '';
  return [systemPromptMode === 'append' ? baseSystem : '', systemPrompt(), notes, injected]
    .filter((part) => part !== '')
    .join('\n\n');
}
