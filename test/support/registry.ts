import { basename, dirname } from 'node:path';
import type { Family } from '../../src/core/family.ts';
import type { Requirements, Source } from '../../src/core/skill.ts';
import { builtinFamilies } from '../../src/families/index.ts';
import type { Applicant } from '../../src/skills/registry/collisions.ts';
import type { World } from '../../src/skills/eligibility/eligibility.ts';
import { buildRegistry, type Registry } from '../../src/skills/registry/registry.ts';

/** What a test says about a skill; the rest follows from its file, as on disk. */
export interface SkillFixture {
  readonly name?: string;
  readonly source?: Source;
  /** By id. */
  readonly family?: string;
  /** Empty for a skill made in code. */
  readonly file?: string;
  readonly root?: string;
  readonly requires?: Requirements;
  readonly invalid?: boolean;
}

/** A machine that has nothing, and settings that say nothing. */
export const bareWorld: World = {
  platform: 'linux',
  environment: {},
  hasBinary: () => false,
  skills: {},
  settings: {},
};

/** Something that wants to be registered: `{ name: 'x', file: '/skills/group/x/SKILL.md' }`. */
export function applicant(fixture: SkillFixture): Applicant {
  const { name = '', source = 'project', file = `/skills/${name}/SKILL.md`, root = '/skills' } = fixture;
  const dir = file === '' ? '' : dirname(file);
  const group = file === '' ? '' : dirname(dir).slice(root.length + 1);
  const codeDefinition = file === '' ? { codeDefinition: {} } : {};
  return {
    origin: {
      family: familyOf(fixture.family),
      source,
      root,
      dir,
      file,
      stem: basename(dir),
      group,
      loose: false,
      ...codeDefinition,
    },
    draft: {
      name,
      card: {
        description: `Does ${name}.`,
        ...(fixture.requires === undefined ? {} : { requires: fixture.requires }),
      },
      issues: [],
      usable: fixture.invalid !== true,
      sum: '',
    },
  };
}

/** The registry of these skills, in this order of precedence within each source. */
export function registryOf(
  fixtures: readonly SkillFixture[],
  world: Partial<World> = {},
  families: readonly Family[] = builtinFamilies,
): Registry {
  return buildRegistry(fixtures.map(applicant), families, { ...bareWorld, ...world }, []);
}

function familyOf(id = 'agent-skill'): Family {
  const family = builtinFamilies.find((candidate) => candidate.id === id);
  if (family === undefined) throw new Error(`There is no family ${id}.`);
  return family;
}
