import { AgentError, didYouMean } from '../../../core/index.ts';
import { shellWord, type CliCommand, type Invocation } from '../../command-kit.ts';
import { grantTrust } from './grant.ts';
import { importTrust } from './import.ts';
import { listTrust } from './list.ts';
import { revokeTrust } from './revoke.ts';

const actions: Readonly<Record<string, (invocation: Invocation) => Promise<number>>> = {
  list: listTrust,
  grant: grantTrust,
  revoke: revokeTrust,
  import: importTrust,
};

/**
 * The `skilled trust` command, which shows which skills and projects are trusted, and grants or revokes
 * trust.
 */
export const trust: CliCommand = {
  summary: 'Show, grant and revoke trust in skills and projects.',
  usage: `Usage: skilled trust [list] [--json]
       skilled trust grant <skill | folder | .>
       skilled trust revoke <skill | path | digest | server.tool | .>
       skilled trust revoke --all
       skilled trust import <file>

Skills of projects and plugins that have code need your approval before the code runs,
until you trust them. Trust is for the current files: after any change, you are asked
again. A dot means this project: its .skilled/settings.json,
.skilled/settings.local.json and .mcp.json. Until you trust them, only settings that
restrict what may happen count. Skills from a server need trust with or without code. A folder with several skills is for
their author: edits, and changes that git pulls, need no new decision. You are asked again
about a skill that a run changed, and about skills in a lock file. A
tool of a server is pinned on first use; you are asked again when its description or
schemas change.

A list that your team signed (with a signature in <file>.sig) trusts the versions that it
names, and nothing else. It must be signed with a key in install.trustKeys.

  skilled trust grant release-desk
  skilled trust grant .agents/skills
  skilled trust revoke 3f9a12c4

  --all  revoke: everything`,
  options: { all: { type: 'boolean' } },
  maxArgs: 2,
  async run(invocation) {
    const [name = 'list', ...args] = invocation.args;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw noAction(name, args[0] ?? name);
    if (invocation.own['all'] === true && name !== 'revoke')
      throw new AgentError('usage.bad-input', '--all belongs to "skilled trust revoke".', {
        hint: 'Leave it out.',
      });
    if (name === 'list' && args[0] !== undefined)
      throw new AgentError('usage.bad-input', `Unexpected argument "${args[0]}".`, {
        hint: `Leave it out; \`skilled show ${shellWord(args[0])}\` shows one skill.`,
      });
    return action({ ...invocation, args });
  },
};

function noAction(name: string, meant: string): AgentError {
  const hint =
    didYouMean(name, Object.keys(actions)) ?? `To trust it: \`skilled trust grant ${shellWord(meant)}\``;
  return new AgentError('usage.bad-input', `"skilled trust" has no action "${name}".`, { hint });
}
