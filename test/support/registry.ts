import { basename, dirname } from 'node:path';
import type { Family } from '../../src/core/family.ts';
import type { Requirements, Source } from '../../src/core/skill.ts';
import { builtinFamilies } from '../../src/families/index.ts';
import type { Applicant } from '../../src/skills/registry/collisions.ts';
import type { World } from '../../src/skills/eligibility/eligibility.ts';
import { buildRegistry, type Registry } from '../../src/skills/registry/registry.ts';

/** The properties of a test skill. The rest follows from its file path, as on disk. */
export interface SkillFixture {
  readonly name?: string;
  readonly source?: Source;
  /** The family's id. */
  readonly family?: string;
  /** Empty for a skill that is defined in code. */
  readonly file?: string;
  readonly root?: string;
  readonly requires?: Requirements;
  readonly invalid?: boolean;
}

/** A machine without any programs, variables or settings. */
export const bareWorld: World = {
  platform: 'linux',
  environment: {},
  hasBinary: () => false,
  skills: {},
  settings: {},
};

/** Returns a skill to register, for example `{ name: 'x', file: '/skills/group/x/SKILL.md' }`. */
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

/** Creates a registry of these skills. Within each source, earlier skills take precedence. */
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
