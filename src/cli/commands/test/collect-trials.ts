import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import type { Skill } from '../../../core/skill.ts';
import type { CaseFault, Trial } from '../../../evals/eval.ts';
import { findTrials, type ReadTrials } from '../../../evals/find-evals.ts';

/** The cases of these skills, or of all that the project has, with this text in the name of the case or the skill. */
export function collectTrials(
  agent: RecursiveSkilledAgent,
  names: readonly string[],
  filter = '',
): ReadTrials {
  const trials: Trial[] = [];
  const faults: CaseFault[] = [];
  for (const skill of skillsToTest(agent, names)) {
    const found = findTrials(skill);
    const reached = [skill.name, ...skill.aliases].find((word) => agent.skills.get(word) === skill);
    trials.push(...found.trials.map((trial) => ({ ...trial, skill: reached ?? skill.name })));
    faults.push(...found.faults);
  }
  const isMeant = ({ skill, name }: Trial): boolean => `${skill} ${name}`.includes(filter);
  return { trials: trials.filter(isMeant), faults };
}

/** The named skills, from wherever they come, else those of the project and of named folders. */
export function skillsToTest(agent: RecursiveSkilledAgent, names: readonly string[]): readonly Skill[] {
  if (names.length > 0)
    return [...new Set(names.map((name) => agent.skills.resolve(name.replace(/^\//, ''))))];
  const isOwn = ({ source, dir }: Skill): boolean =>
    dir !== '' && (source === 'project' || source === 'explicit');
  return agent.skills.list().filter((skill) => isOwn(skill) && skill.status !== 'shadowed');
}
