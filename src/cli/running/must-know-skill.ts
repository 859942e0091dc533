import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { adHocName } from '../../core/names.ts';
import { AgentError } from '../../core/error.ts';
import type { RunSummary } from '../../core/store.ts';
import type { Invocation } from '../command.ts';

/** Whether the command line could work on a run: it knows the first skill, or that is made for each prompt anew. */
export function knowsSkill(agent: RecursiveSkilledAgent, { skill }: RunSummary): boolean {
  return skill === '' || skill === adHocName || agent.skills.has(skill);
}

/** A run of a skill that only another program knows is not touched; one that is worked on elsewhere can be followed. */
export function mustKnowSkill(
  agent: RecursiveSkilledAgent,
  { own }: Invocation,
  run: RunSummary,
  isSaid = false,
): void {
  const isFollowed = run.status === 'running' && own['take-over'] !== true;
  if (!isFollowed && !knowsSkill(agent, run)) throw unknownSkill(run, 'resume', isSaid);
}

/** The error for a run of a skill that only another program knows; what was said to the run is kept for that. */
export function unknownSkill(
  { id, skill }: RunSummary,
  verb: 'resume' | 'rerun',
  isKept = false,
): AgentError {
  const next = `go on in that program with agent.runs.${verb}("${id}")`;
  return new AgentError('skill.not-found', `"${skill}" is not a skill that the command line knows here.`, {
    hint: isKept
      ? `Your answer is kept; the skill may be made in code: ${next}.`
      : `It may be made in code: ${next}.`,
  });
}
