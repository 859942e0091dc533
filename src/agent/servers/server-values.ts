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
import type { Lender } from '../setup.ts';

/** Makes the values of a description plain; both throw `usage.bad-settings`, naming the variable that is not set. */
export interface ServerValues {
  /** A text, with the values of the variables in it where its description has such. */
  fill(text: string): string;
  resolve(value: SettingValue): string;
}

/** The values of a server: what a skill describes has the skill's own variables, everything else those of the host. */
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
  return { why: 'is not set', hint: `Set ${name} where the program is started.` };
}

/** Settings that take it from a variable of the host are right; then it is that one which is missing. */
function notGiven(name: string, { skill, entry }: Describer): Lack {
  const given = entry?.env?.[name];
  if (typeof given === 'object')
    return { ...unset(given.env), why: `settings take from ${given.env}, and that is not set` };
  return {
    why: `is not given to "${skill.name}"`,
    hint: `Give it: \`skilled config set --user skills.entries.${skill.name}.env.${name} '{"env": "${name}"}'\``,
  };
}

/** What servers are opened on. */
export interface ServerGround {
  readonly lender: Pick<Lender, 'options' | 'ports' | 'skills'>;
  readonly sandboxes: SandboxProvider;
}

/** The skill that describes a server, and thereby lends it what it was granted itself. */
export interface Describer {
  readonly skill: Skill;
  /** What settings say about it. */
  readonly entry: SkillEntry | undefined;
  /** The checked copy of its files, where there is one. */
  readonly copy?: string;
}
