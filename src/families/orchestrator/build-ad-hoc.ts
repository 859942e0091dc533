import type { AdHocRequest } from '../../core/family.ts';
import type { OrchestratorDefinition } from './definition.ts';

/** An orchestrator for one prompt over the skills that there are; it is told to say so when none of them fits. */
export function buildAdHoc({ skills, session }: AdHocRequest): OrchestratorDefinition {
  return { description, instructions, session, bestFirst: skills.map(({ name }) => name) };
}

const description = 'You carry out whatever is asked with the skills at hand, none of which is chosen yet.';

const instructions = `Use the skills whose descriptions fit the request, as few as will do, and answer from what they came to.
Call no skill only to call one. If none fits, say plainly that no skill here does this, name the nearest, and make up no result.
What the conversation before it already answers needs no skill.`;
