import { exitCodeOf, optional, readPrompt, toErrorData } from '../../../core/index.ts';
import { errorText, fitRows, oneLine, printJsonLine, type Lines } from '../../command-kit.ts';
import {
  isAtTerminal,
  openQuestion,
  slashSkills,
  waitingRuns,
  type Chat,
  type TurnRequest,
} from './context.ts';
import { includeFiles } from './included-files.ts';
import { chatCommands, mustBeCommand } from './slash-commands.ts';
import { takeTurn, type TurnOutcome } from './turn.ts';

/**
 * Handles one line after another until the input ends or a line ends the conversation. Returns the exit code.
 * At a terminal, it is always 0. Otherwise, it is 130 if a turn was interrupted, 4 if a run is waiting for
 * the user at the end, or else the code of the last line that failed.
 */
export async function holdConversation(chat: Chat, lines: Lines): Promise<number> {
  let exitCode = 0;
  for await (const line of wholeLines(chat, lines)) {
    const went = await take(chat, line);
    if (went === 'leave') break;
    if (isAtTerminal(chat)) continue;
    if (went.isInterrupted) return interrupted;
    if (went.exitCode !== 0 && !went.isWaiting) exitCode = went.exitCode;
  }
  if (isAtTerminal(chat)) return 0;
  return (await waitingRuns(chat)).length > 0 ? waits : exitCode;
}

const waits = 4;
const interrupted = 130;
const quiet = { isWaiting: false, isInterrupted: false } as const;

/**
 * Yields complete lines. A line that ends with a backslash continues on the next line, and empty lines are
 * skipped.
 */
async function* wholeLines(chat: Chat, lines: Lines): AsyncGenerator<string, void> {
  while (true) {
    const isAsked = isAtTerminal(chat) && (await openQuestion(chat)) !== undefined;
    const sign = isAsked ? 'answer> ' : '> ';
    const queued = chat.queued.shift();
    if (queued !== undefined) echo(chat, `${sign}${queued}`);
    let line = queued ?? (await lines.next(isAtTerminal(chat) ? sign : ''));
    while (line?.endsWith('\\') === true) {
      const more = await lines.next(isAtTerminal(chat) ? '… ' : '');
      // The input ended in an incomplete line. Do not send it.
      if (more === undefined && isAtTerminal(chat)) return;
      line = `${line.slice(0, -1)}\n${more ?? ''}`;
    }
    if (line === undefined) return;
    if (!isAsked) remember(chat, line);
    if (line.trim() !== '') yield line.trim();
  }
}

/** Shows a line that was typed during the last run, as if it had been typed now. */
function echo({ invocation: { terminal } }: Chat, typed: string): void {
  terminal.err(`${oneLine(typed)}\n`);
}

/**
 * Saves typed lines so that the arrow keys can recall them in the next conversation. Answers are not saved
 * because they may be secret.
 */
function remember({ history }: Chat, typed: string): void {
  for (const line of typed.split('\n')) history?.add(line);
}

/** Runs a line as a chat command or a turn. Prints an error if it fails; the conversation then continues. */
async function take(chat: Chat, line: string): Promise<TurnOutcome | 'leave'> {
  try {
    const { mark, name, rest } = readPrompt(line);
    const command = mark === '/' ? chatCommands.find((one) => one.name === name) : undefined;
    if (command === undefined) return await takeTurn(chat, await readTurn(chat, line));
    if (command.answer === undefined) return 'leave';
    const said = await command.answer(chat, rest);
    if ('prompt' in said) return await takeTurn(chat, said);
    const { flags, terminal } = chat.invocation;
    if (flags.json) printJsonLine(terminal, said.document);
    else terminal.out(fitRows(said.text, terminal));
    if (isAtTerminal(chat) && !flags.quiet) terminal.err('\n'); // As between turns.
    return { ...quiet, exitCode: 0 };
  } catch (thrown) {
    const error = toErrorData(thrown);
    if (error.code === 'internal.bug') throw thrown;
    const { flags, terminal } = chat.invocation;
    if (flags.json) printJsonLine(terminal, { ok: false, error });
    else terminal.err(errorText(error, terminal));
    if (isAtTerminal(chat) && !flags.quiet) terminal.err('\n');
    return { ...quiet, exitCode: exitCodeOf(error.code) };
  }
}

/**
 * Reads a line as a turn. A line that starts with an exclamation mark is a shell command. A call that the user
 * typed completely at the terminal needs no approval; text from a file or a pipe does.
 */
async function readTurn(chat: Chat, line: string): Promise<TurnRequest> {
  const isTyped = isAtTerminal(chat);
  const [, command] = /^!\s*(\S[^]*)$/.exec(line) ?? [];
  if (command !== undefined)
    return {
      prompt: line,
      skill: 'bash',
      input: { command },
      ...optional('typed', isTyped ? 'bash' : undefined),
    };
  const isName = (name: string): boolean =>
    slashSkills(chat).some((skill) => skill.name === name || skill.aliases.includes(name));
  const { prompt, files, attachments } = isTyped
    ? includeFiles(line, chat.invocation.flags.cwd, isName)
    : { prompt: line, files: [], attachments: [] };
  const { mark, name } = readPrompt(line);
  const isCall = name !== undefined && !(mark === '@' && files.length > 0 && !isName(name));
  if (isCall || /^\/(?:\s|$)/.test(line)) await mustBeCommand(chat, mark, name);
  const typed = isTyped && isCall && files.length === 0 ? name : undefined;
  return {
    // The name of a file must not be read as the name of a skill.
    prompt: mark === '@' && !isCall ? prompt.replace(/^\s*@/, '') : prompt,
    ...optional('typed', typed),
    ...optional('attachments', attachments.length === 0 ? undefined : attachments),
  };
}
