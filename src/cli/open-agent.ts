import type { AgentOptions, Settings } from '../agent/options.ts';
import { defaultPorts } from '../config/defaults.ts';
import { RecursiveSkilledAgent } from '../config/preset.ts';
import { readSettings, settingsSources } from '../config/read/settings.ts';
import { locateDatabase } from '../config/storage/locations.ts';
import {
  AgentError,
  optional,
  type ModelOptions,
  type Policy,
  type ServerDescription,
} from '../core/index.ts';
import type { CommonFlags } from './command.ts';
import { mustBeFolder } from './input/flag-values.ts';

/** Opens the agent for a command with the standard roots, the user's roots, the settings and the flags. */
export async function openAgent(
  flags: CommonFlags,
  more: Pick<AgentOptions, 'store' | 'retentionDays' | 'sessionConfig' | 'watch' | 'secrets' | 'mcpServers'> &
    ModelOptions = {},
): Promise<RecursiveSkilledAgent> {
  mustBeFolder(flags.cwd, '--cwd');
  for (const dir of flags.skills) mustBeFolder(dir, '--skills');
  if (flags.only && flags.skills.length === 0) {
    const hint = 'Add --skills <dir>.';
    throw new AgentError('usage.bad-input', '--only needs at least one --skills folder.', { hint });
  }
  const own = flags.safe ? safeSettings(flags.cwd) : undefined;
  const agent = new RecursiveSkilledAgent({
    ...(flags.safe ? {} : { startDir: flags.cwd }),
    workspace: flags.cwd,
    additionalSkillRoots: flags.skills,
    only: flags.only,
    userRoots: !flags.safe,
    settings: own ?? true,
    cache: true,
    preparesEarly: false, // The command would have to wait for preparations that it may not need.
    ...more,
    ...(more.store === undefined ? {} : { database: locateDatabase(flags.cwd, { isSafe: flags.safe }) }),
    ...(own === undefined ? {} : { policy: safePolicy(own) }),
  });
  return agent.ready();
}

/** Returns the user's own settings for `--safe`, changed so that no skills are downloaded from servers. */
function safeSettings(cwd: string): Settings {
  const { settings } = readSettings(settingsSources(cwd, { isSafe: true }));
  return { ...settings, ...optional('servers', settings.servers?.map(withoutSkills)) };
}

function withoutSkills(server: ServerDescription): ServerDescription {
  const { skills: _skills, ...rest } = server;
  return rest;
}

/** Returns a policy that applies the user's own rules and trust decisions and never asks for approval. */
function safePolicy({ permissions = {} }: Settings): Policy {
  const { openPolicy, trustFile } = defaultPorts();
  return withoutAsking(openPolicy(permissions, trustFile));
}

/** The reason for a denied call under `--safe`. */
export const deniedBySafe = 'it needs approval, which --safe always denies.';

/** Converts a policy to one that denies calls instead of asking about them, as `--safe` requires. */
export function withoutAsking(policy: Policy): Policy {
  return {
    async decide(request) {
      const decision = await policy.decide(request);
      return decision.decision === 'ask' ? { decision: 'deny', reason: deniedBySafe } : decision;
    },
    trusts: (subject) => policy.trusts?.(subject) === true,
  };
}
