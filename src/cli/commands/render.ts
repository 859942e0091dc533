import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { AgentError } from '../../core/error.ts';
import { optional } from '../../core/collections.ts';
import type { Rendering } from '../../core/family.ts';
import type { Skill } from '../../core/skill.ts';
import type { Command, Invocation } from '../command.ts';
import { givenInput } from '../given-input.ts';
import { chosenModels } from '../model-flags.ts';
import { openAgent } from '../open-agent.ts';
import { printJson } from '../output/json.ts';
import { printWhole } from '../output/print-whole.ts';
import { explanation, loadedText, renderingJson } from '../output/rendering.ts';
import { roleFlags, roleFlagsHelp, rolesOf } from '../role-flags.ts';
import { placeOf, prepareStore } from '../run-store.ts';
import { seeThrough } from '../running/see-through.ts';
import { slashCommand, type SlashCommand } from '../slash-command.ts';
import { textFlag } from '../text-flag.ts';

const options = {
  explain: { type: 'boolean' },
  run: { type: 'boolean' },
  'args-json': { type: 'string' },
  session: { type: 'string' },
  ...roleFlags,
} as const;

/** `skilled render`: the text of a skill as a model would get it; its commands run only with `--run`. */
export const render: Command = {
  summary: 'Print the text of a skill with its arguments put in.',
  usage: `Usage: skilled render <skill> [words... | json | --<key> <value>...] [flags]

Nothing runs: a command in the text stands there as [not run: ...]. The words are given
as for "skilled run". Of several words, each one that has blanks or quotes in it gets
quotes of its own, so that $0 is the first word; a single one is taken as it is typed.

  skilled render triage 42 "not so urgent"

  --explain             instead of the text: each placeholder, its value and its place in
                        the file, and each command
  --run                 run the commands, with the approvals that they need
  --args-json <json>    the whole input as JSON
  --session <id>        the session that it is rendered for
${roleFlagsHelp}`,
  options,
  mostWords: Infinity,
  takesOtherFlags: true,
  async run(invocation) {
    const { flags, own } = invocation;
    const { name, words } = named(invocation);
    await using agent = await openAgent(flags, own['run'] === true ? ofRuns(invocation) : {});
    const skill = agent.skills.resolve(name);
    const input = await givenInput(agent, skill, words, { ...invocation, options });
    const session = optional('session', textFlag(own, 'session'));
    const print = (rendering: Rendering): void => printRendering(skill, rendering, invocation);
    const rendering = agent.render(name, { ...optional('args', input), ...session }); // mistakes end it before anything runs
    if (own['run'] !== true) {
      print(rendering);
      return 0;
    }
    await prepareStore(invocation);
    const whose = { ...session, ...optional('roles', rolesOf(invocation)) };
    const request = { skill: name, ...optional('input', input), ...whose, through: 'load' } as const;
    const begin = (signal: AbortSignal): ReturnType<RecursiveSkilledAgent['run']> =>
      agent.run({ ...request, signal });
    return await seeThrough({ agent, invocation, begin, tell: (result) => print(loadedText(result)) });
  },
};

/** What the agent of a run needs; no run is forgotten. */
function ofRuns(invocation: Invocation): Parameters<typeof openAgent>[1] {
  const { where: store } = placeOf(invocation.flags);
  return { ...chosenModels(invocation), store, retentionDays: 0 };
}

/** The skill that the words name, with a slash or without. */
function named({ words }: Invocation): SlashCommand {
  const [name = '', ...others] = words;
  if (name.trim() !== '') return slashCommand(words) ?? { name, words: others };
  throw new AgentError('usage.bad-input', 'Name one skill.', {
    hint: 'Write `skilled render <skill> [words...]`.',
  });
}

function printRendering(skill: Skill, rendering: Rendering, { flags, own, terminal }: Invocation): void {
  if (flags.json) printJson(terminal, renderingJson(rendering));
  else if (own['explain'] === true) terminal.out(explanation(skill, rendering, terminal));
  else printWhole(rendering.text, terminal);
}
