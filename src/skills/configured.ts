import { AgentError, reasonOf } from '../core/error.ts';
import type { Configured, Family } from '../core/family.ts';
import type { Issue } from '../core/issue.ts';
import type { SkillCard } from '../core/skill.ts';
import { entryOf, type Keyed, type SkillSettings } from './skill-settings.ts';

/** A skill that settings may change. */
export interface Configurable extends Keyed {
  /** As its file says it. */
  readonly card: SkillCard;
}

/** What settings change about a skill; undefined when they say nothing. Throws `usage.bad-settings`. */
function configuredBy(
  skill: Configurable,
  family: Family,
  settings: SkillSettings,
): Configured<unknown> | undefined {
  const override = entryOf(skill, settings)?.override;
  if (override === undefined) return undefined;
  if (family.configure !== undefined) return family.configure(override, skill.card);
  throw new AgentError('usage.bad-settings', `Skills of the kind ${family.label} take no "override".`, {
    hint: `Remove it from skills.entries.${skill.name}.`,
  });
}

/** What settings change about a skill, or a finding where they cannot be used: then the file counts. */
export function tryConfigured(
  skill: Configurable,
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
