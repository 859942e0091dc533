import { AgentError, didYouMean } from '../../../core/index.ts';
import { shellWord, type CliCommand, type Invocation } from '../../command-kit.ts';
import { grantTrust } from './grant.ts';
import { listTrust } from './list.ts';
import { revokeTrust } from './revoke.ts';

const actions: Readonly<Record<string, (invocation: Invocation) => Promise<number>>> = {
  list: listTrust,
  grant: grantTrust,
  revoke: revokeTrust,
};

/** `skilled trust`: whose code may run, and which project is believed. */
export const trust: CliCommand = {
  summary: 'Show whose code may run; trust a skill or a project as it is now, or take that back.',
  usage: `Usage: skilled trust [list] [--json]
       skilled trust grant <skill | path | .>
       skilled trust revoke <skill | path | digest | server.tool | .>
       skilled trust revoke --all

Skills of projects and plugins that bring code are asked about before that code first
runs, until somebody trusts them. Trust is for the files as they are: one changed byte,
and it is asked again. A dot is this project: its .skilled/settings.json,
.skilled/settings.local.json and .mcp.json, of which otherwise only counts what
narrows what may happen. Skills that a server offers are asked about whether or not they
bring code. A tool of a server is known from its first use on as what it was then, and
asked about when its description or its schemas become others.

  skilled trust grant release-desk
  skilled trust revoke 3f9a12c4

  --all  revoke: everything`,
  options: { all: { type: 'boolean' } },
  mostWords: 2,
  async run(invocation) {
    const [name = 'list', ...words] = invocation.words;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw noAction(name, words[0] ?? name);
    if (invocation.own['all'] === true && name !== 'revoke')
      throw new AgentError('usage.bad-input', '--all belongs to "skilled trust revoke".', {
        hint: 'Leave it out.',
      });
    if (name === 'list' && words[0] !== undefined)
      throw new AgentError('usage.bad-input', `"${words[0]}" is one word too many.`, {
        hint: `Leave it out; \`skilled show ${shellWord(words[0])}\` shows one skill.`,
      });
    return action({ ...invocation, words });
  },
};

function noAction(name: string, meant: string): AgentError {
  const hint =
    didYouMean(name, Object.keys(actions)) ?? `To trust it: \`skilled trust grant ${shellWord(meant)}\``;
  return new AgentError('usage.bad-input', `"skilled trust" cannot "${name}".`, { hint });
}
