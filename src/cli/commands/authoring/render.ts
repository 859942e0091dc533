import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import {
  AgentError,
  bundleOfBytes,
  isJsonObject,
  optional,
  toLf,
  visible,
  type LoadedText,
  type RenderedCommand,
  type Rendering,
  type RunResult,
  type Skill,
} from '../../../core/index.ts';
import {
  chosenModels,
  givenInput,
  oneLine,
  openAgent,
  printJson,
  printWhole,
  roleFlags,
  roleFlagsHelp,
  rolesOf,
  slashCommand,
  table,
  textFlag,
  type CliCommand,
  type Invocation,
  type SlashCommand,
  type Terminal,
} from '../../command-kit.ts';
import { onInterrupt } from '../../runs/interrupt.ts';
import { printOutcome } from '../../runs/print-outcome.ts';
import { placeOf, prepareStore } from '../../runs/run-store.ts';

const options = {
  explain: { type: 'boolean' },
  run: { type: 'boolean' },
  'args-json': { type: 'string' },
  session: { type: 'string' },
  ...roleFlags,
} as const;

/** `skilled render`: the text of a skill as a model would get it; its commands run only with `--run`. */
export const render: CliCommand = {
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
    using interrupt = onInterrupt();
    const run = agent.run({ ...request, signal: interrupt.signal });
    const tell = (result: RunResult): void => print(loadedText(result));
    return await printOutcome({ agent, invocation, interrupt, run, tell });
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

/** What a run that loaded a skill came to. */
function loadedText({ text, value }: RunResult): Rendering {
  const none = { text, commands: [], replacements: [] };
  return isJsonObject(value) && typeof value['text'] === 'string' ? (value as unknown as LoadedText) : none;
}

/** A rendering as the document of `render --json`. */
function renderingJson({ text, commands, replacements }: Rendering): object {
  return { ok: true, text, commands, replacements };
}

/** Each placeholder with its value and its place in the file, and each command with what it came to. */
function explanation(skill: Skill, { commands, replacements }: Rendering, terminal: Terminal): string {
  const where = placesIn(skill.file);
  const values = replacements.map(({ placeholder, value, at }) =>
    cells([where(at), visible(placeholder), visible(value)]),
  );
  const lines = commands.map((command) => cells([stateOf(command), visible(command.command)]));
  const titles = (names: readonly string[]): { title: string }[] => names.map((title) => ({ title }));
  const parts = [
    values.length === 0
      ? 'No placeholder got a value.\n'
      : table(titles(['WHERE', 'PLACEHOLDER', 'VALUE']), values, terminal),
    lines.length === 0 ? 'There are no commands.\n' : table(titles(['RESULT', 'COMMAND']), lines, terminal),
  ];
  return `${oneLine(skill.file)}\n\n${parts.join('\n')}`;
}

function cells(texts: readonly string[]): readonly { readonly text: string }[] {
  return texts.map((text) => ({ text }));
}

function stateOf({ ran, exitCode }: RenderedCommand): string {
  if (!ran) return 'not run';
  return exitCode === undefined ? 'ran' : `exit ${exitCode}`;
}

/** Turns an offset in the body of a descriptor into `line:column` of its file, both counted from 1. */
function placesIn(file: string): (at: number) => string {
  const place = { dir: dirname(file), file, stem: basename(file), loose: false };
  const { head, text, body } = bundleOfBytes(readFileSync(file), place);
  const above = toLf(text.slice(0, head.bodyStart));
  const whole = `${above}${body}`;
  const starts = [0, ...Array.from(whole.matchAll(/\n/g), ({ index }) => index + 1)];
  let line = 0;
  return (at) => {
    const place = above.length + at;
    if (place < (starts[line] ?? 0)) line = 0;
    while ((starts[line + 1] ?? Infinity) <= place) line++; // each starts where the last one ended: they come in order
    return `${line + 1}:${place - (starts[line] ?? 0) + 1}`;
  };
}
