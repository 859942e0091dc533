import { AgentError } from '../core/error.ts';
import type { Family } from '../core/family.ts';
import type { Issue } from '../core/issue.ts';
import { defaultRunLimits, type RunLimits } from '../core/run-limits.ts';
import { checkLimits } from '../run/calls/budget.ts';
import { defaultSkillLimits, type SkillLimits } from '../skills/limits.ts';
import { mustBeRules } from './must-be-rules.ts';
import { findHiddenServers, mustBeServers } from './must-be-servers.ts';
import type { AgentOptions, Ports, Settings } from './options.ts';

/** What options and settings come to. */
export interface SetUp {
  readonly settings: Settings;
  readonly limits: SkillLimits;
  readonly runLimits: RunLimits;
  readonly plugins: readonly string[];
  readonly allowSymlinkTargets: readonly string[];
  /** Findings about the settings files. */
  readonly issues: readonly Issue[];
}

type Limits = SkillLimits & RunLimits;

/** Joins the options with the settings, options first; reads the settings files when the options ask for them. */
export function setUpOf(options: AgentOptions, ports: Ports): SetUp {
  const { settings, issues } = settingsOf(options, ports);
  const tools = options.permissions?.tools ?? [];
  mustBeRules(options.permissions);
  if (options.settings !== true) mustBeRules(settings.permissions, tools); // in a file it is a diagnostic, and blocks runs
  mustBeServers(options.mcpServers);
  const given = { ...checkLimits(settings.limits), ...checkLimits(options.limits) };
  return {
    settings,
    limits: { ...defaultSkillLimits, ...only(given, (name) => name in defaultSkillLimits) },
    runLimits: { ...defaultRunLimits, ...only(given, (name) => !(name in defaultSkillLimits)) },
    plugins: [...(options.plugins ?? []), ...(settings.plugins ?? [])],
    allowSymlinkTargets: [...(settings.allowSymlinkTargets ?? []), ...(options.allowSymlinkTargets ?? [])],
    issues: [...issues, ...findHiddenServers(options.mcpServers, settings.servers)],
  };
}

function only(limits: Partial<Limits>, isMeant: (name: string) => boolean): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([name]) => isMeant(name)));
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
