import type { Json } from '../../core/json.ts';
import { namedTier } from '../../core/model/sources.ts';
import { optional } from '../../core/collections.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import type { Skill } from '../../core/skill.ts';
import { runLoop } from '../../engines/loop.ts';
import { baseSystem } from '../../engines/loop/base-system.ts';
import { loopOutput } from '../../engines/loop/end.ts';
import { skillTools } from '../../engines/loop/tools.ts';
import { requestText } from '../../engines/request-text.ts';
import type { McpDefinition } from './definition.ts';

const usualSteps = 20;
const mostTools = 100; // beside what a loop needs for itself, no provider takes many more
const mostNamed = 20;

/** Lets a model carry out a request with the tools of servers, step by step. */
export async function runToolLoop(
  { instructions = '' }: McpDefinition,
  skills: readonly Skill[],
  input: Json,
  scope: Scope,
): Promise<Output> {
  const { result = scope.skill.card.output, check, maxTicks, model = 'plan', effort } = scope.wanted;
  const parts = [baseSystem, scope.skill.card.description, instructions];
  const end = await runLoop(scope, {
    system: parts.filter((part) => part.trim() !== '').join('\n\n'),
    prompt: requestText(input),
    tools: skillTools(fitting(skills, scope), scope),
    tier: namedTier(model) ?? 'plan',
    ...optional('effort', effort),
    maxSteps: maxTicks ?? usualSteps,
    ...optional('submit', result && { schema: result, ...optional('check', check) }),
  });
  return loopOutput(end);
}

function fitting(skills: readonly Skill[], scope: Scope): readonly Skill[] {
  if (skills.length <= mostTools) return skills;
  const left = skills.slice(mostTools).map(({ name }) => name);
  const more = left.length > mostNamed ? ` and ${left.length - mostNamed} more` : '';
  const named = `${left.slice(0, mostNamed).join(', ')}${more}`;
  scope.note(`There is room for ${mostTools} tools; name those that are needed. Not offered: ${named}.`);
  return skills.slice(0, mostTools);
}
