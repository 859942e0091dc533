import { AgentError, didYouMean } from '../../../core/index.ts';
import {
  limitFlags,
  limitFlagsHelp,
  modelFlags,
  modelFlagsHelp,
  roleFlags,
  roleFlagsHelp,
  shellWord,
  type CliCommand,
  type Invocation,
} from '../../command-kit.ts';
import { checkScripts } from './check.ts';
import { graphScript } from './graph.ts';
import { runScript } from './run.ts';

const actions: Readonly<Record<string, (invocation: Invocation) => Promise<number>>> = {
  check: checkScripts,
  run: runScript,
  graph: graphScript,
};

/** The `skilled sop` command, which checks, draws and runs plan files. The commands in a plan are skills. */
export const sop: CliCommand = {
  summary: 'Check, run or draw a plan: a script whose commands are skills.',
  usage: `Usage: skilled sop check <file>...
       skilled sop graph <file> [--mermaid]
       skilled sop run <file> [--input <text>] [flags]

Each step of a plan binds a variable to the result of a command: a skill by any of its
names, or assign, final_answer, cannot_complete. The file - is stdin. All errors of a
plan are reported at once: check and graph then exit with 3, and run does not start.

  skilled sop run orders.sop --input '{"day": "monday"}'

  --mermaid             graph: as a Mermaid flowchart

Flags of run:
  --input <text>        the value of $input; JSON when it is an object or a list; - reads
                        it from stdin, @<file> from a file
  --args-json <json>    the same, as any JSON
  --stream              with --json: every event as a line of JSON, as it happens
  --session <id>        the session whose memory it uses
  --max-commands <number>
                        maximum number of commands; default 100
${roleFlagsHelp}
${limitFlagsHelp}
${modelFlagsHelp}`,
  options: {
    input: { type: 'string' },
    'args-json': { type: 'string' },
    stream: { type: 'boolean' },
    session: { type: 'string' },
    mermaid: { type: 'boolean' },
    'max-commands': { type: 'string' },
    ...roleFlags,
    ...limitFlags,
    ...modelFlags,
  },
  maxArgs: Infinity,
  async run(invocation) {
    const [name, ...args] = invocation.args;
    const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (name === undefined || action === undefined) throw noAction(name);
    mustBelong(invocation, name);
    return action({ ...invocation, args });
  },
};

/** Throws if a flag does not belong to the action, because the action would ignore it. */
function mustBelong({ flags, own }: Invocation, name: string): void {
  const ownerOf = (flag: string): string => (flag === 'mermaid' ? 'graph' : 'run');
  const stray = Object.keys(own).find((flag) => own[flag] !== undefined && ownerOf(flag) !== name);
  if (stray !== undefined)
    throw new AgentError('usage.bad-input', `--${stray} belongs to "skilled sop ${ownerOf(stray)}".`, {
      hint: 'Leave it out.',
    });
  if (own['mermaid'] === true && flags.json)
    throw new AgentError('usage.bad-input', '--mermaid and --json are different output formats.', {
      hint: 'Use only one of these flags.',
    });
}

function noAction(name: string | undefined): AgentError {
  if (name === undefined)
    return new AgentError('usage.bad-input', 'Missing an action.', {
      hint: 'Use check, run or graph, and name a file: `skilled sop run <file>`',
    });
  return new AgentError('usage.bad-input', `"skilled sop" has no action "${name}".`, {
    hint: didYouMean(name, Object.keys(actions)) ?? `To run a plan: \`skilled sop run ${shellWord(name)}\``,
  });
}
