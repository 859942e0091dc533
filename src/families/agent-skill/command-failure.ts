import { AgentError, type ErrorData } from '../../core/error.ts';
import { optional } from '../../core/collections.ts';
import { endedIn, type Ended } from './ended.ts';

/** A command and where it stands. */
export interface PlacedCommand {
  readonly command: string;
  /** One-based, in the file. */
  readonly line: number;
  /** The file, or the skill where there is none. */
  readonly where: string;
}

/** What a command ends an activation with that was refused or stopped: the code of that. */
export function stoppedCommand(placed: PlacedCommand, error: ErrorData): AgentError {
  const { code, message, hint, details } = error;
  const said = tailOf(endedIn(details));
  return new AgentError(code, `${shown(placed)} could not be carried out: ${message}`, {
    ...optional('hint', hint),
    details: { command: placed.command, line: placed.line, ...(said === '' ? {} : { stderr: said }) },
  });
}

/** What a command ends an activation with that failed. */
export function failedCommand(placed: PlacedCommand, ended: Ended): AgentError {
  const { exitCode } = ended;
  const end = exitCode === null ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
  const said = tailOf(ended);
  return new AgentError('skill.failed', `${shown(placed)} ${end}${said === '' ? '.' : `: ${said}`}`, {
    hint: 'Nothing of the skill was used. Let the command succeed, for example with "|| true".',
    details: { command: placed.command, line: placed.line, exitCode, stderr: said },
  });
}

function tailOf({ stderr }: Ended): string {
  return stderr.trim().slice(-2_000).toWellFormed();
}

const mostShown = 300; // characters

function shown({ command, line, where }: PlacedCommand): string {
  const text = command.trim();
  const cut = text.length > mostShown ? `${text.slice(0, mostShown).toWellFormed()}…` : text;
  return `The command \`${cut}\` on line ${line} of ${where}`;
}
