import { isInternal } from '../../skills/catalog/entries.ts';
import { maySkill, type Caller } from '../caller.ts';
import type { ServerContext } from '../route-group.ts';
import { agentModel } from './take-turn.ts';

/** A model of a compatible API: the agent, or one of its skills. */
export interface AgentModel {
  readonly id: string;
  readonly description: string;
}

/** Returns the models that a caller may use. */
export function modelsFor({ agent }: ServerContext, caller: Caller): readonly AgentModel[] {
  const skills = agent.skills
    .list()
    .filter((skill) => !isInternal(skill) && skill.card.userInvocable !== false && skill.status === 'ready')
    .filter((skill) => maySkill(caller, skill));
  return [
    { id: agentModel, description: 'All skills' },
    ...skills.map(({ name, card }) => ({ id: `${agentModel}/${name}`, description: card.description })),
  ];
}
