import { AgentError, reasonOf } from '../core/error.ts';
import type { Configured, Family } from '../core/family.ts';
import type { Issue } from '../core/issue.ts';
import { entryOf, type Keyed, type SkillSettings } from './skill-settings.ts';

/** What settings change about a skill; undefined when they say nothing. Throws `usage.bad-settings`. */
export function configuredBy(
  skill: Keyed,
  family: Family,
  settings: SkillSettings,
): Configured<unknown> | undefined {
  const override = entryOf(skill, settings)?.override;
  if (override === undefined) return undefined;
  if (family.configure !== undefined) return family.configure(override);
  throw new AgentError('usage.bad-settings', `Skills of the kind ${family.label} take no "override".`, {
    hint: `Remove it from skills.entries.${skill.name}.`,
  });
}

/** The same as a finding where the settings cannot be used: then the file counts. */
export function tryConfigured(
  skill: Keyed,
  family: Family,
  settings: SkillSettings,
): { readonly configured?: Configured<unknown> | undefined; readonly issues: readonly Issue[] } {
  try {
    return { configured: configuredBy(skill, family, settings), issues: [] };
  } catch (thrown) {
    const message = `skills.entries.${skill.name}.override has no effect: ${reasonOf(thrown)}`;
    return { issues: [{ level: 'error', code: 'settings.override', message }] };
  }
}
