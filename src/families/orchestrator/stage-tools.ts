import type { Scope } from '../../core/scope.ts';
import { offerTools } from '../../engines/loop/offer-tools.ts';
import type { ToolChoice } from '../../engines/loop/offered.ts';
import { skillTools } from '../../engines/loop/tools.ts';
import { skillsOf } from './skills-of.ts';

/** The tools of one stage: one for each skill of its list, or without a list what the catalog chooses for the request. */
export async function stageTools(
  list: readonly string[] | undefined,
  request: string,
  scope: Scope,
): Promise<ToolChoice> {
  const skills = skillsOf(list, scope);
  if (skills === undefined) return offerTools(scope, { request });
  return skillTools(skills, scope, { among: [...scope.callable, ...skills] });
}
