import { AgentError } from '../core/error.ts';
import type { RunLimits } from '../core/run-limits.ts';
import { overLimit, type Budget } from './budget.ts';
import type { Frame } from './frame.ts';
import type { Target } from './target.ts';

/** Throws the bound that a call would pass. */
export function boundCall(caller: Frame, target: Target, inputHash: string, budget: Budget): void {
  const { limits } = budget;
  if (caller.depth >= limits.depth) throw tooDeep(caller, target, limits);
  const repeated = caller.path.find(
    (frame) => frame.skill?.name === target.skill.name && frame.inputHash === inputHash,
  );
  if (repeated !== undefined) throw inCircle(caller, target);
  checkNesting(caller, target);
  budget.checkCall(target.isLeaf);
}

/** A skill may say how many of its own family may be nested below it. */
function checkNesting(caller: Frame, { skill }: Target): void {
  for (const [index, { skill: above }] of caller.path.entries()) {
    const most = above?.card.nesting;
    if (above === undefined || most === undefined || above.family !== skill.family) continue;
    const below = caller.path.slice(index + 1).filter((frame) => frame.skill?.family === skill.family).length;
    if (below + 1 <= most) continue;
    throw new AgentError('limit.depth', `"${above.name}" lets ${most} of its kind be nested below it.`, {
      hint: `"${skill.name}" would be one more; do its work without it.`,
    });
  }
}

function tooDeep(caller: Frame, { skill }: Target, { depth }: RunLimits): AgentError {
  const { hint } = overLimit('limit.depth', '', 'depth');
  return new AgentError(
    'limit.depth',
    `"${skill.name}" would be at depth ${caller.depth + 1}; calls may nest ${depth} deep.`,
    hint === undefined ? {} : { hint },
  );
}

function inCircle(caller: Frame, { skill }: Target): AgentError {
  const path = [...caller.path.map((frame) => frame.skill?.name ?? ''), skill.name].join(' › ');
  return new AgentError('limit.cycle', `"${skill.name}" is already at work on the same input: ${path}.`, {
    hint: 'Call it with another input, or return instead of calling it again.',
  });
}
