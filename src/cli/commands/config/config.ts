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

/** `skilled config`: what the settings come to and why, and changes to their files. */
export const config: CliCommand = {
  summary: 'Show, explain and change settings.',
  usage: `Usage: skilled config [list] [--all] [flags]
       skilled config get <key> [flags]
       skilled config set <key> <value> [--user | --project | --local]
       skilled config unset <key> [--user | --project | --local]
       skilled config explain <key> [flags]
       skilled config path

A key has dots between its names, as in limits.depth; a name with dots itself stands in
quotes. A value is JSON, or plain text where text is expected; lists may be written with
commas. Flags go before the environment, .skilled/settings.local.json,
.skilled/settings.json, your own settings, and the defaults.

  skilled config set models.plan anthropic/claude-opus-4-5 --user

  --all      list: also what nobody has set
  --user     your own settings, everywhere
  --project  .skilled/settings.json of the project; this is meant unless said, but for
             what only counts in your own settings, and outside of projects
  --local    .skilled/settings.local.json: the project, on this machine

The flags of "skilled run" that choose models, limits and roles count for list, get and explain:

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
  mostWords: Infinity,
  async run(invocation) {
    const [name = 'list', ...words] = invocation.words;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw noAction(name);
    mustBelong(invocation.own, name);
    mustFit(words, name);
    return action({ ...invocation, words });
  },
};

const most: Readonly<Record<string, number>> = { get: 1, set: 2, unset: 1, explain: 1 };

function mustFit(words: readonly string[], name: string): void {
  const extra = words[most[name] ?? 0];
  if (extra === undefined) return;
  const hint = name === 'set' ? 'Put quotes around a value with blanks.' : 'Leave it out.';
  throw new AgentError('usage.bad-input', `"${extra}" is one word too many.`, { hint });
}

/** A flag that would be ignored is a mistake. */
function mustBelong(own: Invocation['own'], name: string): void {
  const owners = (flag: string): readonly string[] => {
    if (flag === 'all') return ['list'];
    return ['user', 'project', 'local'].includes(flag) ? ['set', 'unset'] : ['explain', 'get', 'list'];
  };
  const stray = Object.keys(own).find((flag) => own[flag] !== undefined && !owners(flag).includes(name));
  if (stray === undefined) return;
  const place = `skilled config ${owners(stray)[0] ?? ''}`;
  throw new AgentError('usage.bad-input', `--${stray} belongs to "${place}".`, { hint: 'Leave it out.' });
}

function noAction(name: string): AgentError {
  const near = didYouMean(name, Object.keys(actions));
  const hint = near ?? 'Say get, set, unset, list, explain or path.';
  return new AgentError('usage.bad-input', `"skilled config" cannot "${name}".`, { hint });
}
