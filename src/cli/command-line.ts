import { colorWish, ownPackage } from '../config/program.ts';
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

/** Runs one command line and returns its exit code; what fails is printed once, as text or as JSON. */
export async function runCommandLine(
  args: readonly string[],
  given: Terminal = processTerminal(colorsFor(args)),
): Promise<number> {
  let terminal = spellingFor(given);
  try {
    const called = await readCommandLine(args, terminal);
    if (typeof called === 'number') return called;
    const { command, ...told } = called;
    terminal = spellingFor(given, told);
    return await command.run({ ...told, terminal });
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

/** A terminal on which commands are spelled as they have to be typed after this command line. */
function spellingFor(terminal: Terminal, told?: CommandContext): Terminal {
  return {
    ...terminal,
    get width() {
      return terminal.width;
    },
    spell: (command, fromAnywhere) => spellCommand(command, told, fromAnywhere),
  };
}

/** The command that is to run; or the exit code, where the answer is known without one. */
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
  const extra = flags.words[command.mostWords ?? 0];
  if (extra !== undefined) {
    throw new AgentError('usage.bad-input', `"${extra}" is one word too many.`, {
      hint: command.usage.split('\n')[0] ?? '',
    });
  }
  const { common, own, lists, words, given } = flags;
  return { command, flags: common, own, lists, words, given };
}

/** Whoever sits at a terminal and names no command wants to talk. */
function bareName(args: readonly string[], terminal: Terminal): string | undefined {
  const isSilent = ['--help', '-h', '--version', '-v', '--json'].some((flag) => hasFlag(args, flag));
  const isTerminal = terminal.ask !== undefined && terminal.width !== undefined;
  return isTerminal && !isSilent ? 'chat' : undefined;
}

async function load(name: string): Promise<CliCommand> {
  const entry = findCommand(commands, name);
  if (entry !== undefined) return entry.load();
  const names = commands.map((candidate) => candidate.name);
  throw new AgentError('usage.unknown-command', `There is no command "${name}".`, {
    hint: [didYouMean(name, names) ?? '', '`skilled help` shows all commands.'].join(' ').trim(),
  });
}

/** Most terminals are wide enough. */
function fitted(help: string, { width }: Terminal): string {
  return width === undefined ? help : wrapHelp(help, width);
}

/** Text that is the answer itself, also as one JSON document. */
function answer(document: object, text: string, { common }: ParsedFlags, terminal: Terminal): number {
  if (common.json) printJson(terminal, { ok: true, ...document });
  else terminal.out(text);
  return 0;
}

function colorsFor(args: readonly string[]): 'never' | 'always' | 'auto' {
  return hasFlag(args, '--no-color') ? 'never' : hasFlag(args, '--color') ? 'always' : colorWish();
}

/** Where relative paths start; a folder that was removed under us still lets `--cwd` name another. */
function currentFolder(args: readonly string[]): string {
  try {
    return process.cwd();
  } catch (thrown) {
    if (args.some((word) => word.startsWith('--cwd'))) return '/';
    throw new AgentError('usage.not-found', 'The current folder is gone.', {
      hint: 'Name one with --cwd.',
      cause: thrown,
    });
  }
}

function stackOf(error: Error): string {
  return (error.stack ?? '').split('\n').map(oneLine).join('\n  ');
}
