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
  userOf,
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
import { storeLocation, prepareStore } from '../../runs/run-store.ts';

const options = {
  explain: { type: 'boolean' },
  run: { type: 'boolean' },
  'args-json': { type: 'string' },
  session: { type: 'string' },
  ...roleFlags,
} as const;

/**
 * `skilled render`: prints a skill's text as a model would receive it. Runs the skill's commands only with
 * `--run`.
 */
export const render: CliCommand = {
  summary: 'Print the text of a skill with its arguments filled in.',
  usage: `Usage: skilled render <skill> [words... | json | --<key> <value>...] [flags]

Nothing runs: a command in the text appears as [not run: ...]. Pass arguments as for
"skilled run". With several arguments, those that contain spaces or quotes are quoted, so
that $0 is the first argument; a single argument is used as typed.

  skilled render triage 42 "not so urgent"

  --explain             instead of the text: each placeholder with its value and its
                        position in the file, and each command
  --run                 run the commands, with the approvals that they need
  --args-json <json>    the complete input as JSON
  --session <id>        the session to render for
${roleFlagsHelp}`,
  options,
  maxArgs: Infinity,
  takesOtherFlags: true,
  async run(invocation) {
    const { flags, own } = invocation;
    const { name, args } = named(invocation);
    await using agent = await openAgent(flags, own['run'] === true ? ofRuns(invocation) : {});
    const skill = agent.skills.resolve(name);
    const input = await givenInput(agent, skill, args, { ...invocation, options });
    const session = optional('session', textFlag(own, 'session'));
    const print = (rendering: Rendering): void => printRendering(skill, rendering, invocation);
    // Render once without running anything, so that errors appear before any command runs.
    const rendering = agent.render(name, { ...optional('args', input), ...session });
    if (own['run'] !== true) {
      print(rendering);
      return 0;
    }
    await prepareStore(invocation);
    const whose = { ...session, ...optional('user', userOf(invocation)) };
    const request = { skill: name, ...optional('input', input), ...whose, mode: 'load' } as const;
    using interrupt = onInterrupt();
    const run = agent.run({ ...request, signal: interrupt.signal });
    const printResult = (result: RunResult): void => print(loadedText(result));
    return await printOutcome({ agent, invocation, interrupt, run, printResult });
  },
};

/** Returns the options for an agent that runs skills but never deletes old runs. */
function ofRuns(invocation: Invocation): Parameters<typeof openAgent>[1] {
  const { where: store } = storeLocation(invocation.flags);
  return { ...chosenModels(invocation), store, retentionDays: 0 };
}

/** Parses the skill's name and input from the arguments. The name can start with a slash. */
function named({ args }: Invocation): SlashCommand {
  const [name = '', ...others] = args;
  if (name.trim() !== '') return slashCommand(args) ?? { name, args: others };
  throw new AgentError('usage.bad-input', 'Missing skill name.', {
    hint: 'Run `skilled render <skill> [words...]`.',
  });
}

function printRendering(skill: Skill, rendering: Rendering, { flags, own, terminal }: Invocation): void {
  if (flags.json) printJson(terminal, renderingJson(rendering));
  else if (own['explain'] === true) terminal.out(explanation(skill, rendering, terminal));
  else printWhole(rendering.text, terminal);
}

/** Returns the rendered text from the result of a run that loaded a skill. */
function loadedText({ text, value }: RunResult): Rendering {
  const none = { text, commands: [], replacements: [] };
  return isJsonObject(value) && typeof value['text'] === 'string' ? (value as unknown as LoadedText) : none;
}

/** Converts a rendering to the document that `render --json` prints. */
function renderingJson({ text, commands, replacements }: Rendering): object {
  return { ok: true, text, commands, replacements };
}

/** Lists each placeholder with its position and value, and each command with its result. */
function explanation(skill: Skill, { commands, replacements }: Rendering, terminal: Terminal): string {
  const where = createLocator(skill.file);
  const values = replacements.map(({ placeholder, value, at }) =>
    cells([where(at), visible(placeholder), visible(value)]),
  );
  const lines = commands.map((command) => cells([stateOf(command), visible(command.command)]));
  const titles = (names: readonly string[]): { title: string }[] => names.map((title) => ({ title }));
  const parts = [
    values.length === 0
      ? 'No placeholders have values.\n'
      : table(titles(['WHERE', 'PLACEHOLDER', 'VALUE']), values, terminal),
    lines.length === 0 ? 'No commands.\n' : table(titles(['RESULT', 'COMMAND']), lines, terminal),
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

/**
 * Returns a function that converts an offset in a descriptor's body to a one-based `line:column` in its file.
 */
function createLocator(file: string): (at: number) => string {
  const location = { dir: dirname(file), file, stem: basename(file), loose: false };
  const { head, text, body } = bundleOfBytes(readFileSync(file), location);
  const above = toLf(text.slice(0, head.bodyStart));
  const whole = `${above}${body}`;
  const starts = [0, ...Array.from(whole.matchAll(/\n/g), ({ index }) => index + 1)];
  let line = 0;
  return (at) => {
    const offset = above.length + at;
    if (offset < (starts[line] ?? 0)) line = 0;
    // Continue from the line that was found last, because offsets are usually in ascending order.
    while ((starts[line + 1] ?? Infinity) <= offset) line++;
    return `${line + 1}:${offset - (starts[line] ?? 0) + 1}`;
  };
}
