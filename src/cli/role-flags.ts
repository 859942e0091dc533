import type { SettingsLayer } from '../config/read/layers.ts';
import { readSettings, settingsSources } from '../config/read/settings.ts';
import { AgentError } from '../core/error.ts';
import { areRoles, rolesExpected } from '../core/run.ts';
import type { Invocation } from './command.ts';

/** The flag of every command that begins runs. */
export const roleFlags = { role: { type: 'string', multiple: true } } as const;

/** Its part of a command's help. */
export const roleFlagsHelp = `  --role <name>         what you may do, for skills that let only some people in; may be
                        repeated`;

/** What whoever uses the command line may do, by flags, else by environment and settings; undefined where nothing says so. */
export function rolesOf({
  flags,
  lists,
}: Pick<Invocation, 'flags' | 'lists'>): readonly string[] | undefined {
  const sources = settingsSources(flags.cwd, { isSafe: flags.safe, flags: roleLayers(lists) });
  const roles = readSettings(sources).settings.all?.['roles'];
  return areRoles(roles) ? roles : undefined;
}

/** The roles that flags name as a layer of the settings; one without a name is `usage.bad-input`. */
export function roleLayers(lists: Invocation['lists']): readonly SettingsLayer[] {
  const roles = lists['role'] ?? [];
  if (roles.length === 0) return [];
  if (!areRoles(roles))
    throw new AgentError('usage.bad-input', `--role must come to ${rolesExpected}.`, {
      hint: 'Write a name behind each: --role <name>.',
    });
  return [{ name: 'flag', from: '--role', values: { roles } }];
}
