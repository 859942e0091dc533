import { AgentError } from '../../../core/error.ts';
import type { Skill } from '../../../core/skill.ts';
import type { Invocation } from '../../command.ts';
import { openAgent } from '../../open-agent.ts';
import { grantProject } from './grant-project.ts';
import { grantSkill } from './grant-skill.ts';
import { namedPlace, realPath } from './named-place.ts';

/** Trusts a skill or a project as it is now, and shows exactly what that is. The command is the decision: nobody is asked again. */
export async function grantTrust(invocation: Invocation): Promise<number> {
  const { flags, words } = invocation;
  const [word] = words;
  if (word === undefined)
    throw new AgentError('usage.bad-input', 'Say what is to be trusted.', {
      hint: 'Write `skilled trust grant <skill>`; a dot is the settings of this project.',
    });
  await using agent = await openAgent(flags);
  const path = namedPlace(word, flags.cwd);
  const skill =
    path === undefined
      ? agent.skills.resolve(word)
      : (agent.skills.list().find((one) => liesAt(one, path)) ?? agent.skills.get(word));
  if (skill !== undefined) return await grantSkill(invocation, agent, skill);
  return await grantProject(invocation, path ?? flags.cwd);
}

function liesAt({ dir, file }: Skill, path: string): boolean {
  return file !== '' && (realPath(file) === path || realPath(dir) === path);
}
