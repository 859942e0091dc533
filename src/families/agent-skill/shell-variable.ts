import { AgentError } from '../../core/error.ts';
import type { Scope } from '../../core/scope.ts';
import type { AgentSkillDefinition } from './definition.ts';

/** The variable that tells `bash` which shell a file asks for; throws `sandbox.unavailable` for one that there is nowhere. */
export function shellVariable(
  { shell }: AgentSkillDefinition,
  { skill }: Scope,
): Readonly<Record<string, string>> {
  if (shell === undefined) return {};
  if (shell !== 'powershell') return { SKILLED_TOOL_SHELL: shell };
  throw new AgentError('sandbox.unavailable', `"${skill.name}" asks for PowerShell, which there is not.`, {
    hint: 'Write its commands for bash or sh, and remove "shell".',
  });
}
