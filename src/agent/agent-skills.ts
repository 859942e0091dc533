import { familyOf, type Family } from '../core/index.ts';
import { countTokens } from '../skills/catalog/budget.ts';
import { discover } from '../skills/discover/discover.ts';
import type { LazyRanking } from '../skills/rank/lazy-ranking.ts';
import { isCodeInDescriptor } from '../skills/registry/definition.ts';
import { Skills } from '../skills/skills.ts';
import type { SkillsOptions } from '../skills/skills-options.ts';
import type { Binaries } from '../skills/eligibility/eligibility.ts';
import type { Discovery } from './discovery.ts';
import type { AgentOptions, Ports } from './options.ts';
import { ruleIssues } from './policy.ts';
import type { Preparations } from './preparations.ts';
import type { LazyMounts } from './servers/mounts.ts';
import { worldOf, type AgentContext, type SetUp } from './setup.ts';

/**
 * The parts of an agent that its skills need. Those that are functions are created after the skills.
 */
interface SkillsParts {
  readonly options: AgentOptions;
  readonly ports: Ports;
  readonly families: readonly Family[];
  readonly binaries: Binaries;
  readonly ranking: LazyRanking;
  readonly discovery: Discovery;
  readonly setUp: () => SetUp;
  readonly context: () => AgentContext;
  readonly mounts: () => LazyMounts;
  readonly preparations: () => Preparations;
}

/** Creates an agent's skills, which are read from disk on first use. */
export function createSkills(parts: SkillsParts): Skills {
  const { options, ports, families, binaries, ranking, discovery, setUp } = parts;
  const { context, mounts, preparations } = parts;
  const skillsOptions: SkillsOptions = {
    families,
    builtins: ports.builtins,
    world: worldOf(ports, binaries, setUp),
    countTokens: (text) => discovery.facts.of('tokens', text, countTokens),
    hasCodeInDescriptor(skill) {
      const family = familyOf(families, skill);
      // The parsers of other families can change without notice.
      const isOwn = family !== undefined && ports.families.includes(family);
      return isCodeInDescriptor(
        skill,
        family,
        discovery.scanOptions().limits,
        isOwn ? discovery.facts : undefined,
      );
    },
    ranking,
    startDir: options.startDir,
    discover: (extraRoots) => discovery.discover(extraRoots),
    scan: (roots) => discover(roots, discovery.scanOptions()),
    onRootAdded: () => discovery.look(),
    serverTools: () => mounts().tools.applicants,
    issuesOf: (skills) => [
      ...ruleIssues(context(), skills),
      ...mounts().tools.issues,
      ...preparations().issues,
      ...(ports.installedIssues?.(options.startDir) ?? []),
    ],
  };
  return new Skills(skillsOptions);
}
