import { adHocName } from '../core/ad-hoc-name.ts';
import type { Skill } from '../core/skill.ts';
import { reachedAs } from './known-as.ts';
import type { Execution } from './execution.ts';
import type { Target } from './target.ts';
import { surfaceOf } from './surface.ts';

/** A skill for one prompt over all that may do the work, those that fit best first; undefined when no family makes such skills. */
export function makeAdHoc(execution: Execution, goal: string, best: readonly string[]): Target | undefined {
  const { registry, kernel } = execution;
  const family = registry.families.find(({ adHoc }) => adHoc !== undefined);
  if (family?.adHoc === undefined) return undefined;
  const { workers, tools } = surfaceOf(registry, kernel.routing.exposesInternals);
  const all = [...workers, ...tools];
  const fitting = best.map((name) => registry.lookup.find(name)).filter((skill) => skill !== undefined);
  const skills = [...new Set<Skill>([...fitting, ...all])];
  return {
    skill: {
      name: adHocName,
      aliases: [],
      family: family.id,
      card: {
        description: 'Answers one prompt with the skills that fit it.',
        allowedSkills: all.map((skill) => reachedAs(registry, skill)),
      },
      source: 'bundled',
      ...{ root: '', dir: '', file: '', status: 'ready', issues: [] },
      made: {}, // nothing of it comes from a file
    },
    family,
    definition: family.adHoc({ goal, skills, session: kernel.routing.session }),
    digest: undefined,
    isLeaf: false,
  };
}
