import type { DefinedSkill } from '../../src/core/define-skill.ts';
import type { Embedder } from '../../src/core/model/sources.ts';
import { builtinFamilies } from '../../src/families/index.ts';
import { countTokens } from '../../src/skills/catalog/budget.ts';
import { discover } from '../../src/skills/discover/discover.ts';
import { defaultSkillLimits } from '../../src/skills/limits.ts';
import type { IndexFile } from '../../src/skills/rank/skill-index.ts';
import { SkillRanking } from '../../src/skills/rank/skill-ranking.ts';
import type { Root } from '../../src/skills/discover/listing.ts';
import { standardRoots } from '../../src/skills/discover/roots.ts';
import { Skills } from '../../src/skills/skills.ts';
import type { DiskContents } from '../../src/skills/disk-skills.ts';
import { bareWorld } from './registry.ts';

/** A registry with ranking. */
export interface RankedFolder {
  readonly skills: Skills;
  readonly ranking: SkillRanking;
  /** Scans the disk again. */
  look(): void;
}

/** Creates a registry over a folder's `skills/`. Its ranking can be closed and caches vectors. */
export function rankedFolder(
  startDir: string,
  more: {
    readonly openEmbedder?: () => Embedder;
    readonly cacheFolder?: string;
    readonly indexFile?: () => IndexFile;
    readonly builtins?: readonly DefinedSkill[];
  } = {},
): RankedFolder {
  const families = builtinFamilies;
  const ranking = new SkillRanking({ limits: defaultSkillLimits, ...more });
  const read = (additionalSkillRoots: readonly string[] = []): DiskContents => {
    const roots = standardRoots({ startDir, searchUpwards: false, additionalSkillRoots }, families);
    return discover(roots, { families, limits: defaultSkillLimits });
  };
  const { builtins = [] } = more;
  const scan = (roots: readonly Root[]): DiskContents =>
    discover(roots, { families, limits: defaultSkillLimits });
  const skills = new Skills({
    families,
    builtins,
    world: bareWorld,
    ranking,
    startDir,
    countTokens,
    hasCodeInDescriptor: () => true,
    discover: read,
    scan,
  });
  return { skills, ranking, look: () => skills.publish(read()) };
}
