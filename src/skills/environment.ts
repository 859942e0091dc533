import type { Issue } from '../core/issue.ts';
import type { Requirements } from '../core/skill.ts';
import { isRefusedVariable, looksSecret } from './refused-variables.ts';
import type { SettingValue } from '../core/servers/tool-server.ts';
import type { SkillEntry } from './skill-settings.ts';

/** The variables of a process, as it was handed to us. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that a child process inherits from the host; everything else must be granted. */
export const inheritedVariables: readonly string[] = [
  ...[
    'PATH',
    'HOME',
    'USER',
    'LOGNAME',
    'SHELL',
    'LANG',
    'LANGUAGE',
    'TERM',
    'COLORTERM',
    'TZ',
    'TMPDIR',
    'TEMP',
    'TMP',
  ],
  ...['NO_COLOR', 'FORCE_COLOR', 'COLUMNS', 'LINES', 'SYSTEMROOT', 'COMSPEC', 'PATHEXT', 'WINDIR'],
];

/** The allowlisted part of the host's environment. */
export function baseEnvironment(environment: Environment): Readonly<Record<string, string>> {
  const wanted = new Set(inheritedVariables);
  const pairs = Object.entries(environment).filter(([name]) => wanted.has(name) || name.startsWith('LC_'));
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** The value of a variable; one that is blank counts as not set. */
export function variable(environment: Environment, name: string): string | undefined {
  const text = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** The text behind a setting: itself, or the variable it names; blank counts as not set. */
export function resolveSetting(value: SettingValue, environment: Environment): string | undefined {
  if (typeof value === 'object') return variable(environment, value.env);
  return value.trim() === '' ? undefined : value;
}

/** A variable that settings want to give to a skill, and why it is refused, if it is. */
export interface Grant {
  readonly name: string;
  readonly value: SettingValue;
  readonly refused?: string;
}

/** What settings want to give to a skill: the entry's `env`, then its `apiKey` as the variable that the skill names for it. */
export function grantsOf(
  requires: Requirements | undefined,
  entry: SkillEntry | undefined,
): readonly Grant[] {
  const { env = {}, apiKey } = entry ?? {};
  const primary = requires?.primaryEnv;
  const declared = new Set([...(requires?.env ?? []), primary]);
  const grants = Object.entries(env).map(([name, value]) =>
    grant(name, value, faultOf(name, value, looksSecret(name), declared)),
  );
  if (apiKey === undefined) return grants;
  if (primary === undefined)
    return [...grants, grant('apiKey', apiKey, 'the skill names no primaryEnv for it')];
  if (Object.hasOwn(env, primary)) return grants;
  return [...grants, grant(primary, apiKey, faultOf(primary, apiKey, true, declared))];
}

/** The variables that settings give to one skill's own child processes, and what was refused on the way. */
export function overlayOf(
  requires: Requirements | undefined,
  entry: SkillEntry | undefined,
  environment: Environment,
): { readonly variables: Readonly<Record<string, string>>; readonly issues: readonly Issue[] } {
  const variables = new Map<string, string>();
  const issues: Issue[] = [];
  for (const { name, value, refused } of grantsOf(requires, entry)) {
    const text = resolveSetting(value, environment);
    const fault = refused ?? (text?.includes('\0') === true ? 'its value holds a NUL character' : undefined);
    if (fault !== undefined) issues.push(refusal(name, fault));
    else if (text !== undefined) variables.set(name, text);
  }
  return { variables: Object.fromEntries(variables), issues };
}

function grant(name: string, value: SettingValue, refused: string | undefined): Grant {
  return refused === undefined ? { name, value } : { name, value, refused };
}

function faultOf(
  name: string,
  value: SettingValue,
  isSecret: boolean,
  declared: ReadonlySet<string | undefined>,
): string | undefined {
  if (isRefusedVariable(name)) return 'variables that steer programs or the network are never overridden';
  if (!isSecret) return undefined;
  if (!declared.has(name)) return 'it looks like a secret and the skill does not declare it';
  return typeof value === 'string'
    ? 'a secret is given by the name of its variable, as {"env": "NAME"}'
    : undefined;
}

function refusal(name: string, fault: string): Issue {
  return {
    level: 'warning',
    code: 'environment.refused',
    message: `${name} is not set for the skill: ${fault}.`,
  };
}
