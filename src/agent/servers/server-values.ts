import {
  AgentError,
  fillVariables,
  type SandboxProvider,
  type ServerDescription,
  type SettingValue,
  type Skill,
} from '../../core/index.ts';
import { variable, type Environment } from '../../skills/eligibility/environment.ts';
import type { SkillEntry } from '../../skills/eligibility/skill-settings.ts';
import type { AgentContext } from '../setup.ts';

/**
 * Functions that resolve the values in a server description. Both throw `usage.bad-settings` with the
 * variable's name if a required variable is not set.
 */
export interface ServerValues {
  /** Replaces the variables in a string if the server's description may contain variables. */
  fill(text: string): string;
  resolve(value: SettingValue): string;
}

/**
 * Returns the value resolver for a server. A server described by a skill uses the skill's variables; any
 * other server uses the host's variables.
 */
export function serverValues(
  { name: server, expands }: Pick<ServerDescription, 'name' | 'expands'>,
  variables: Environment,
  by?: Describer,
): ServerValues {
  const need = (name: string): string => {
    const value = variable(variables, name);
    if (value !== undefined) return value;
    const { why, hint } = by === undefined ? unset(name) : notGiven(name, by);
    throw new AgentError(
      'usage.bad-settings',
      `The server "${server}" needs the variable ${name}, which ${why}.`,
      { hint },
    );
  };
  const fill = (text: string): string =>
    expands === true || by !== undefined
      ? fillVariables(text, (name, isNeeded) => (isNeeded ? need(name) : variable(variables, name)))
      : text;
  return { fill, resolve: (value) => (typeof value === 'string' ? fill(value) : need(value.env)) };
}

interface Lack {
  readonly why: string;
  readonly hint: string;
}

function unset(name: string): Lack {
  return { why: 'is not set', hint: `Set ${name} in the program's environment.` };
}

/**
 * Explains why a skill's variable is missing: either the settings do not set it, or they take it from a host
 * variable that is not set.
 */
function notGiven(name: string, { skill, entry }: Describer): Lack {
  const given = entry?.env?.[name];
  if (typeof given === 'object')
    return { ...unset(given.env), why: `is taken from ${given.env}, which is not set` };
  return {
    why: `is not given to "${skill.name}"`,
    hint: `Set it: \`skilled config set --user skills.entries.${skill.name}.env.${name} '{"env": "${name}"}'\``,
  };
}

/** Everything needed to open an MCP server. */
export interface ServerDependencies {
  readonly context: Pick<AgentContext, 'options' | 'ports' | 'skills'>;
  readonly sandboxes: SandboxProvider;
}

/** A skill that describes a server. The server also receives the skill's own grants. */
export interface Describer {
  readonly skill: Skill;
  /** The skill's entry in the settings, if there is one. */
  readonly entry: SkillEntry | undefined;
  /** The verified copy of the skill's files, if there is one. */
  readonly copy?: string;
}
