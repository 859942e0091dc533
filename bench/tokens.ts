import { countTokens } from '../src/skills/catalog/tokens.ts';
import { catalogEntries } from '../src/skills/catalog/entries.ts';
import { bodyOf } from '../src/skills/body.ts';
import { buildLightSkillInjection, buildSkillInjection } from '../src/skills/injection.ts';
import { defaultSkillLimits } from '../src/skills/limits.ts';
import { agentOn } from './agent.ts';
import type { Workload } from './data.ts';
import type { Row } from './measure.ts';

/** T1: what a model reads of the skills of a folder: a catalog, the light and the full injection. */
export async function tokens({ root, name }: Workload): Promise<Row> {
  const { skills } = agentOn(root);
  const catalog = await skills.catalog();
  const entries = catalogEntries(skills.list());
  const light = buildLightSkillInjection(entries);
  const bodies = skills
    .snapshot()
    .skills.filter(({ status, file }) => status === 'ready' && file !== '')
    .map((skill) => ({ name: skill.name, body: bodyOf(skill, defaultSkillLimits) }));
  const full = buildSkillInjection(bodies);
  const size = (text: string, count: number): string =>
    `${Math.round(countTokens(text) / 1000)}k tokens (${count} skills)`;
  return {
    id: 'T1',
    what: `what a model reads, ${name}`,
    figure: `catalog ${size(catalog.text, catalog.shown)}, light ${size(light, entries.length)}, full ${size(full, bodies.length)}`,
  };
}
