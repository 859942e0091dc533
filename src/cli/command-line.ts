import { readColorMode, ownPackage } from '../config/program.ts';
import { AgentError, didYouMean, exitCodeOf, toErrorData } from '../core/index.ts';
import { findCommand, type CliCommand, type Invocation } from './command.ts';
import { commands } from './commands.ts';
import { helpFor, overview, wrapHelp } from './help.ts';
import { hasFlag, parseFlags, splitCommand, type ParsedFlags } from './input/flags.ts';
import { errorText, withHint } from './output/diagnostics.ts';
import { printJson, printJsonLine } from './output/print.ts';
import { oneLine } from './output/text.ts';
import { spellCommand, type CommandContext } from './spell-command.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/** Runs one command line and returns its exit code. An error is printed once, as text or as JSON. */
export async function runCommandLine(
  args: readonly string[],
  given: Terminal = processTerminal(colorsFor(args)),
): Promise<number> {
  let terminal = spellingFor(given);
  try {
    const called = await readCommandLine(args, terminal);
    if (typeof called === 'number') return called;
    const { command, ...context } = called;
    terminal = spellingFor(given, context);
    return await command.run({ ...context, terminal });
  } catch (thrown) {
    const error = withHint(toErrorData(thrown), hasFlag(args, '--safe'));
    if (hasFlag(args, '--json')) {
      const print = hasFlag(args, '--stream') ? printJsonLine : printJson;
      print(terminal, { ok: false, error });
    } else terminal.err(errorText(error, terminal));
    if (error.code === 'internal.bug' && thrown instanceof Error) terminal.err(`${stackOf(thrown)}\n`);
    return exitCodeOf(error.code);
  }
}

/** Creates a terminal that adapts suggested commands to this command line. */
function spellingFor(terminal: Terminal, context?: CommandContext): Terminal {
  return {
    ...terminal,
    get width() {
      return terminal.width;
    },
    spell: (command, fromAnywhere) => spellCommand(command, context, fromAnywhere),
  };
}

/** Returns the command to run, or the exit code if there is nothing to run, as with `--help`. */
async function readCommandLine(
  args: readonly string[],
  terminal: Terminal,
): Promise<(Omit<Invocation, 'terminal'> & { readonly command: CliCommand }) | number> {
  const { name = bareName(args, terminal), rest } = splitCommand(args);
  if (name === 'help') return readCommandLine([...rest, '--help'], terminal);
  const command = name === undefined ? undefined : await load(name);
  const flags = parseFlags(
    rest,
    command?.options ?? {},
    currentFolder(args),
    command?.takesOtherFlags === true,
  );
  if (flags.version)
    return answer({ version: ownPackage().version }, `${ownPackage().version}\n`, flags, terminal);
  if (command === undefined || flags.help) {
    const help = command === undefined ? overview() : helpFor(command);
    return answer({ help }, fitted(help, terminal), flags, terminal);
  }
  const extra = flags.args[command.maxArgs ?? 0];
  if (extra !== undefined) {
    throw new AgentError('usage.bad-input', `Unexpected argument "${extra}".`, {
      hint: command.usage.split('\n')[0] ?? '',
    });
  }
  const { common, own, lists, args: positionals, given } = flags;
  return { command, flags: common, own, lists, args: positionals, given };
}

/** Returns the command to run if none is named: `chat` at a terminal, otherwise none. */
function bareName(args: readonly string[], terminal: Terminal): string | undefined {
  const isSilent = ['--help', '-h', '--version', '-v', '--json'].some((flag) => hasFlag(args, flag));
  const isTerminal = terminal.ask !== undefined && terminal.width !== undefined;
  return isTerminal && !isSilent ? 'chat' : undefined;
}

async function load(name: string): Promise<CliCommand> {
  const entry = findCommand(commands, name);
  if (entry !== undefined) return entry.load();
  const names = commands.map((candidate) => candidate.name);
  throw new AgentError('usage.unknown-command', `Unknown command "${name}".`, {
    hint: [didYouMean(name, names) ?? '', '`skilled help` lists all commands.'].join(' ').trim(),
  });
}

/** Wraps help text only if the terminal is too narrow for it. */
function fitted(help: string, { width }: Terminal): string {
  return width === undefined ? help : wrapHelp(help, width);
}

/** Prints a response as text, or as a JSON document with `--json`. */
function answer(document: object, text: string, { common }: ParsedFlags, terminal: Terminal): number {
  if (common.json) printJson(terminal, { ok: true, ...document });
  else terminal.out(text);
  return 0;
}

function colorsFor(args: readonly string[]): 'never' | 'always' | 'auto' {
  return hasFlag(args, '--no-color') ? 'never' : hasFlag(args, '--color') ? 'always' : readColorMode();
}

/** Returns the base folder for relative paths. `--cwd` works even if the current folder was removed. */
function currentFolder(args: readonly string[]): string {
  try {
    return process.cwd();
  } catch (thrown) {
    if (args.some((arg) => arg.startsWith('--cwd'))) return '/';
    throw new AgentError('usage.not-found', 'The current folder no longer exists.', {
      hint: 'Choose a folder with --cwd.',
      cause: thrown,
    });
  }
}

function stackOf(error: Error): string {
  return (error.stack ?? '').split('\n').map(oneLine).join('\n  ');
}
