import { AgentError, exitCodeOf, toErrorData } from '../core/error.ts';
import { didYouMean } from '../core/names.ts';
import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { parseFlags } from './flags.ts';
import { helpFor, overview } from './help.ts';
import { printJson } from './output/json.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/** Runs one command line and returns its exit code; what fails is printed once, as text or as JSON. */
export async function runCommandLine(args: readonly string[], terminal: Terminal = processTerminal(!args.includes('--no-color'))): Promise<number> {
  try {
    return await dispatch(args, terminal);
  } catch (thrown) {
    const error = toErrorData(thrown);
    if (args.includes('--json')) printJson(terminal, { ok: false, error: { ...error } });
    else terminal.err(`error: ${error.message}\n${error.hint === undefined ? '' : `  ${error.hint}\n`}`);
    if (error.code === 'internal.bug' && thrown instanceof Error) terminal.err(`${thrown.stack ?? ''}\n`);
    return exitCodeOf(error.code);
  }
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
    terminal.out(overview());
    return 0;
  }
  if (name === 'help') return dispatch([...rest, '--help'], terminal);
  const command = await load(name);
  const { common, own, words, help } = parseFlags(rest, command.options ?? {}, process.cwd());
  if (help) {
    terminal.out(helpFor(command));
    return 0;
  }
  return command.run({ flags: common, own, words, terminal });
}

async function load(name: string): Promise<Command> {
  const entry = commands.find((candidate) => candidate.name === name || candidate.aliases?.includes(name) === true);
  if (entry !== undefined) return entry.load();
  const isFlag = name.startsWith('-');
  throw new AgentError(isFlag ? 'usage.unknown-flag' : 'usage.unknown-command', `There is no ${isFlag ? 'flag' : 'command'} "${name}".`, {
    hint: didYouMean(name, commands.map((candidate) => candidate.name)) ?? 'Run "skilled help" to see what there is.',
  });
}
