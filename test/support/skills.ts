import type { DefinedSkill } from '../../src/core/define-skill.ts';
import type { Embedder } from '../../src/core/model/sources.ts';
import { builtinFamilies } from '../../src/families/index.ts';
import { countTokens } from '../../src/skills/catalog/budget.ts';
import { discover } from '../../src/skills/discover/discover.ts';
import type { World } from '../../src/skills/eligibility/eligibility.ts';
import { defaultSkillLimits } from '../../src/skills/limits.ts';
import { SkillRanking } from '../../src/skills/rank/skill-ranking.ts';
import { standardRoots } from '../../src/skills/discover/roots.ts';
import { Skills } from '../../src/skills/skills.ts';
import { bareWorld } from './registry.ts';

/**
 * Creates a registry over a folder's `skills/` and the folders that `loadDir` adds. Without a folder, it
 * starts empty.
 */
export function skillsAt(
  startDir?: string,
  more: {
    readonly builtins?: readonly DefinedSkill[];
    readonly world?: Partial<World>;
    readonly embedder?: Embedder;
  } = {},
): Skills {
  const families = builtinFamilies;
  return new Skills({
    families,
    builtins: more.builtins ?? [],
    world: { ...bareWorld, ...more.world },
    ranking: new SkillRanking({ limits: defaultSkillLimits, openEmbedder: () => more.embedder }),
    startDir,
    countTokens,
    hasCodeInDescriptor: () => true,
    scan: (roots) => discover(roots, { families, limits: defaultSkillLimits }),
    discover: (additionalSkillRoots) => {
      const start = startDir === undefined ? {} : { startDir };
      const roots = standardRoots({ ...start, searchUpwards: false, additionalSkillRoots }, families);
      return discover(roots, { families, limits: defaultSkillLimits });
    },
  });
}
