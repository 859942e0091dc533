import { AgentError } from '../core/error.ts';
import { isForeign } from '../core/is-foreign.ts';
import type { CallOptions } from '../core/scope.ts';
import type { Skill } from '../core/skill.ts';

/**
 * Throws `policy.denied` where the text of a file from elsewhere calls a skill that its owner lets no model choose: a
 * model that chose the one would have chosen the other. What comes from the same place may know of each other.
 */
export function checkHidden(caller: Skill | undefined, called: Skill, { asWritten }: CallOptions): void {
  if (caller === undefined || asWritten !== true || !isForeign(caller)) return;
  if (called.card.modelInvocable !== false || called.source === caller.source) return;
  throw new AgentError(
    'policy.denied',
    `"${caller.name}" may not call "${called.name}", which no model may choose.`,
    {
      hint: `Call "${called.name}" yourself, or let models choose it.`,
    },
  );
}
