import { AgentError, didYouMean } from '../../../core/index.ts';
import {
  limitFlags,
  limitFlagsHelp,
  modelFlags,
  modelFlagsHelp,
  roleFlags,
  roleFlagsHelp,
  type CliCommand,
  type Invocation,
} from '../../command-kit.ts';
import { explain } from './explain.ts';
import { getSetting, listSettings, showPaths } from './read.ts';
import { setSetting, unsetSetting } from './write.ts';

const actions: Readonly<Record<string, (invocation: Invocation) => number | Promise<number>>> = {
  get: getSetting,
  set: setSetting,
  unset: unsetSetting,
  list: listSettings,
  explain,
  path: showPaths,
};

/** `skilled config`: shows the effective settings and where they come from, and changes settings files. */
export const config: CliCommand = {
  summary: 'Show, explain and change settings.',
  usage: `Usage: skilled config [list] [--all] [flags]
       skilled config get <key> [flags]
       skilled config set <key> <value> [--user | --project | --local]
       skilled config unset <key> [--user | --project | --local]
       skilled config explain <key> [flags]
       skilled config path

A key is a dotted path, as in limits.depth; put a name that contains dots in quotes. A
value is JSON, or plain text where text is expected; separate list items with commas.
Highest precedence first: flags, the environment, .skilled/settings.local.json,
.skilled/settings.json, your own settings, defaults.

  skilled config set models.plan anthropic/claude-opus-5-5 --user

  --all      list: include settings that are not set
  --user     your own settings, for all projects
  --project  .skilled/settings.json of the project; the default in a project, except for
             settings that only count in your own
  --local    .skilled/settings.local.json: the project, on this machine

list, get and explain accept the flags of "skilled run" for models, limits and roles:

  skilled config explain models --model ollama/llama3.2

${modelFlagsHelp}
${limitFlagsHelp}
${roleFlagsHelp}`,
  options: {
    all: { type: 'boolean' },
    user: { type: 'boolean' },
    project: { type: 'boolean' },
    local: { type: 'boolean' },
    ...modelFlags,
    ...limitFlags,
    ...roleFlags,
  },
  maxArgs: Infinity,
  async run(invocation) {
    const [name = 'list', ...args] = invocation.args;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw noAction(name);
    mustBelong(invocation.own, name);
    mustFit(args, name);
    return action({ ...invocation, args });
  },
};

const most: Readonly<Record<string, number>> = { get: 1, set: 2, unset: 1, explain: 1 };

function mustFit(args: readonly string[], name: string): void {
  const extra = args[most[name] ?? 0];
  if (extra === undefined) return;
  const hint = name === 'set' ? 'Put quotes around a value with spaces.' : 'Leave it out.';
  throw new AgentError('usage.bad-input', `Unexpected argument "${extra}".`, { hint });
}

/** Throws if a flag does not belong to the action, because the action would ignore it. */
function mustBelong(own: Invocation['own'], name: string): void {
  const owners = (flag: string): readonly string[] => {
    if (flag === 'all') return ['list'];
    return ['user', 'project', 'local'].includes(flag) ? ['set', 'unset'] : ['explain', 'get', 'list'];
  };
  const stray = Object.keys(own).find((flag) => own[flag] !== undefined && !owners(flag).includes(name));
  if (stray === undefined) return;
  const command = `skilled config ${owners(stray)[0] ?? ''}`;
  throw new AgentError('usage.bad-input', `--${stray} belongs to "${command}".`, { hint: 'Leave it out.' });
}

function noAction(name: string): AgentError {
  const near = didYouMean(name, Object.keys(actions));
  const hint = near ?? 'Use get, set, unset, list, explain or path.';
  return new AgentError('usage.bad-input', `"skilled config" has no action "${name}".`, { hint });
}
