import { AgentError, isAgentError } from '../../core/error.ts';
import { normaliseName } from '../../core/names.ts';
import type { Scope } from '../../core/scope.ts';
import type { AgentSkillDefinition } from './definition.ts';

/** The skill that does the work for another one; undefined when that does it itself. Throws when it cannot be used. */
export async function findAgent(
  { agent = '' }: AgentSkillDefinition,
  scope: Scope,
): Promise<string | undefined> {
  if (['', 'general-purpose'].includes(normaliseName(agent))) return undefined;
  try {
    await scope.inject([agent], 'light'); // finds it also when no model may choose it: a file names it
    return agent;
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const { code, message, hint = 'Add a file for it to an "agents" folder, or remove "agent".' } = thrown;
    throw new AgentError(code, `"${scope.skill.name}" asks for the agent "${agent}": ${message}`, { hint });
  }
}
