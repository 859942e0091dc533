import { AgentError } from '../core/error.ts';
import type { Family } from '../core/family.ts';
import type { Issue } from '../core/issue.ts';
import { defaultSkillLimits, type SkillLimits } from '../skills/limits.ts';
import type { AgentOptions, Ports, Settings } from './options.ts';

/** What options and settings come to. */
export interface SetUp {
  readonly settings: Settings;
  readonly limits: SkillLimits;
  readonly plugins: readonly string[];
  readonly allowSymlinkTargets: readonly string[];
  /** Findings about the settings files. */
  readonly issues: readonly Issue[];
}

/** Joins the options with the settings, options first; reads the settings files when the options ask for them. */
export function setUpOf(options: AgentOptions, ports: Ports): SetUp {
  const { settings, issues } = settingsOf(options, ports);
  return {
    settings,
    limits: { ...defaultSkillLimits, ...checked(settings.limits), ...checked(options.limits) },
    plugins: [...(options.plugins ?? []), ...(settings.plugins ?? [])],
    allowSymlinkTargets: [...(settings.allowSymlinkTargets ?? []), ...(options.allowSymlinkTargets ?? [])],
    issues,
  };
}

/** Limits that are whole numbers; one that is none would silently switch its guard off. */
function checked(limits: Partial<SkillLimits> = {}): Partial<SkillLimits> {
  const given = Object.entries<number | undefined>(limits).filter(
    (limit): limit is [string, number] => limit[1] !== undefined,
  );
  const odd = given.find(([, value]) => !Number.isSafeInteger(value) || value < 0);
  if (odd === undefined) return Object.fromEntries(given);
  throw new AgentError('usage.bad-input', `The limit "${odd[0]}" must be a whole number.`, {
    hint: 'Correct the limits option.',
  });
}

/** The families, checked: two of one id could not be told apart. */
export function distinctFamilies(families: readonly Family[]): readonly Family[] {
  const twice = families.find(
    (family, index) => families.findIndex((other) => other.id === family.id) !== index,
  );
  if (twice === undefined) return families;
  throw new AgentError('usage.bad-input', `There are two families with the id "${twice.id}".`, {
    hint: 'Give each family an id of its own.',
  });
}

function settingsOf(options: AgentOptions, ports: Ports): Pick<SetUp, 'settings' | 'issues'> {
  if (typeof options.settings === 'object') return { settings: options.settings, issues: [] };
  return options.settings === true ? ports.readSettings(options.startDir) : { settings: {}, issues: [] };
}
