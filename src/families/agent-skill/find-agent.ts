import { AgentError } from '../../core/error.ts';
import { didYouMean, normaliseName } from '../../core/names.ts';
import type { Scope } from '../../core/scope.ts';
import type { Skill } from '../../core/skill.ts';
import type { AgentSkillDefinition } from './definition.ts';

/** The skill that does the work for another one; undefined when it does its work itself. Throws `skill.not-found`. */
export async function findAgent(
  { agent = '' }: AgentSkillDefinition,
  scope: Scope,
): Promise<string | undefined> {
  const wanted = normaliseName(agent);
  if (wanted === '' || wanted === 'general-purpose') return undefined;
  const isMeant = ({ name, aliases }: Skill): boolean =>
    [name, ...aliases].some((known) => normaliseName(known) === wanted);
  const known = [...scope.callable, ...scope.listed];
  if (known.some(isMeant) || (await canBeGiven(agent, scope))) return agent;
  const names = known.map(({ name }) => name);
  throw new AgentError(
    'skill.not-found',
    `"${scope.skill.name}" asks for the agent "${agent}", which is not there.`,
    {
      hint: didYouMean(agent, names) ?? 'Add a file for it to an "agents" folder, or remove "agent".',
    },
  );
}

/** Also one that no model may choose: a file names it. */
async function canBeGiven(name: string, scope: Scope): Promise<boolean> {
  try {
    await scope.inject([name], 'light');
    return true;
  } catch {
    return false; // whatever is wrong with it, it cannot be used
  }
}
