import { ownPackage } from '../config/package-root.ts';
import { RecursiveSkilledAgent } from '../config/preset.ts';
import { AgentError } from '../core/error.ts';
import { existsSync } from 'node:fs';
import type { CommonFlags } from './command.ts';

/** The agent that a command works with: standard roots, the user's own, settings, and what the flags say. */
export async function openAgent(flags: CommonFlags): Promise<RecursiveSkilledAgent> {
  if (!existsSync(flags.cwd)) throw new AgentError('usage.not-found', `There is no folder ${flags.cwd}.`, { hint: 'Check --cwd.' });
  for (const dir of flags.skills) {
    if (!existsSync(dir)) throw new AgentError('usage.not-found', `There is no folder ${dir}.`, { hint: 'Check --skills.' });
  }
  if (flags.only && flags.skills.length === 0) {
    throw new AgentError('usage.bad-input', '--only needs at least one --skills folder.', { hint: 'Add --skills <dir>.' });
  }
  const agent = new RecursiveSkilledAgent({
    ...(flags.safe ? {} : { startDir: flags.cwd }),
    additionalSkillRoots: flags.skills,
    only: flags.only,
    userRoots: !flags.safe,
    settings: !flags.safe,
    cache: !ownPackage().fromSource,
  });
  return agent.ready();
}
