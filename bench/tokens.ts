import { injectSkills } from '../src/agent/inject-skills.ts';
import type { InjectionStyle } from '../src/core/skill.ts';
import { countTokens } from '../src/skills/catalog/budget.ts';
import { defaultSkillLimits } from '../src/skills/limits.ts';
import { agentOn } from './agent.ts';
import type { Workload } from './data.ts';
import type { Row } from './measure.ts';

/**
 * T1: measures the text about the skills of a folder that a model reads: the catalog, and the light and full
 * injection of one, several and all skills.
 */
export async function tokens({ root, name: folder }: Workload): Promise<readonly Row[]> {
  const { skills } = agentOn(root);
  const catalog = await skills.catalog();
  const registry = skills.snapshot();
  const all = registry.skills.filter(({ status, file }) => status === 'ready' && file !== '');
  const read = (some: readonly string[], how: InjectionStyle): number => {
    const [skill] = all;
    if (skill === undefined) return 0;
    const request = { skill, names: some, how, paths: [], session: 'bench' };
    return countTokens(
      injectSkills(registry, request, { skills, limits: defaultSkillLimits, workspace: root, policy: {} })
        .text,
    );
  };
  const row = (what: string, groups: readonly (readonly string[])[]): Row => {
    const light = groups.map((group) => read(group, 'light'));
    const full = groups.map((group) => read(group, 'full'));
    const ratios = full.map((count, index) => count / (light[index] ?? NaN));
    const middle = groups.length === 1 ? '' : 'median ';
    const figure = `light ${middle}${median(light)}, full ${middle}${median(full)} tokens, ${middle}${median(ratios, 1)} ×`;
    return { id: 'T1', what: `light against full injection, ${what}`, figure };
  };
  const names = all.map(({ name }) => name);
  return [
    {
      id: 'T1',
      what: `what a model reads, ${folder}`,
      figure: `catalog ${countTokens(catalog.text)} tokens (${catalog.shown} of ${names.length} skills)`,
    },
    row(`all ${names.length} skills`, [names]),
    row(
      'one skill',
      names.map((name) => [name]),
    ),
    row('a subagent with 3 skills', spread(names, 3)),
    row('a subagent with 10 skills', spread(names, 10)),
  ];
}

/** Divides names into groups of the given size. Each group contains names from all parts of the list. */
function spread(names: readonly string[], size: number): readonly (readonly string[])[] {
  const groups = Math.floor(names.length / size);
  return Array.from({ length: groups }, (_, group) =>
    Array.from({ length: size }, (__, index) => names[group + index * groups] ?? ''),
  );
}

function median(values: readonly number[], digits = 0): string {
  const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
  return middle.toLocaleString('en', { maximumFractionDigits: digits });
}
