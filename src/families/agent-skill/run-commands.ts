import type { CompoundList, Statement, SyntaxNode } from 'unbash';
import {
  AgentError,
  endOf,
  isJsonObject,
  optional,
  type ErrorData,
  type Json,
  type RenderedCommand,
  type Scope,
} from '../../core/index.ts';
import { isReadable, unbash } from '../../shell/parser.ts';
import type { AgentSkillDefinition } from './parse.ts';
import type { RenderedBody } from './render/render-skill.ts';

/** Runs a body's commands in order, each subject to the policy. Throws at the first command that fails. */
export async function runCommands(
  { pieces, environment }: Pick<RenderedBody, 'pieces' | 'environment'>,
  definition: AgentSkillDefinition,
  scope: Scope,
): Promise<readonly RenderedCommand[]> {
  const commands = pieces.filter((piece) => typeof piece !== 'string');
  if (commands.length === 0) return [];
  const variables = { ...environment, ...shellVariable(definition, scope) };
  const where = scope.skill.file === '' ? `"${scope.skill.name}"` : scope.skill.file;
  const ran: RenderedCommand[] = [];
  for (const [index, { command, line }] of commands.entries()) {
    const placed = { command, line: definition.bodyLine + line - 1, where };
    ran.push(await runOne(placed, `command-${index + 1}`, variables, scope));
  }
  return ran;
}

const maxMilliseconds = 60_000;

async function runOne(
  placed: PlacedCommand,
  key: string,
  environment: Readonly<Record<string, string>>,
  scope: Scope,
): Promise<RenderedCommand> {
  const { command } = placed;
  const output = await scope.call(
    'bash',
    { command, timeout_ms: maxMilliseconds },
    { asWritten: true, key, process: { environment } },
  );
  if (output.status === 'failed') throw stoppedCommand(placed, output.error);
  const ended = endedIn(output.value);
  const { exitCode, stdout } = ended;
  const isFine = exitCode === 0 || (exitCode === 1 && mayEndWithOne(command));
  if (!isFine) throw failedCommand(placed, ended);
  return { command, ran: true, exitCode, output: withoutLineEnd(stdout) };
}

const maxCharacters = 100_000;
const noteRoom = 200; // Output that exceeds the limit by at most this many characters is not cut.

function withoutLineEnd(stdout: string): string {
  const text = stdout.replace(/\r?\n$/, '');
  const over = text.length - maxCharacters;
  if (over <= noteRoom) return text;
  return `${text.slice(0, maxCharacters).toWellFormed()}\n[${over} more characters were left out]`;
}

/** A shell command and its location in a skill's file. */
interface PlacedCommand {
  readonly command: string;
  /** The one-based line number in the file. */
  readonly line: number;
  /** The skill's file, or the skill's name if it has no file. */
  readonly where: string;
}

/** Creates the error for a command that was refused or stopped. Keeps the original error code. */
function stoppedCommand(placed: PlacedCommand, error: ErrorData): AgentError {
  const { code, message, hint, details } = error;
  const said = tailOf(endedIn(details));
  return new AgentError(code, `${shown(placed)} could not run: ${message}`, {
    ...optional('hint', hint),
    details: { command: placed.command, line: placed.line, ...(said === '' ? {} : { stderr: said }) },
  });
}

/** Creates the error for a command that failed. */
function failedCommand(placed: PlacedCommand, ended: Ended): AgentError {
  const { exitCode } = ended;
  const end = exitCode === null ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
  const said = tailOf(ended);
  return new AgentError('skill.failed', `${shown(placed)} ${end}${said === '' ? '.' : `: ${said}`}`, {
    hint: 'No part of the skill was used. Make the command succeed, for example with "|| true".',
    details: { command: placed.command, line: placed.line, exitCode, stderr: said },
  });
}

function tailOf({ stderr }: Ended): string {
  return endOf(stderr.trim(), 2_000);
}

const maxShown = 300; // The maximum length of a command in a message, in characters.

function shown({ command, line, where }: PlacedCommand): string {
  const text = command.trim();
  const cut = text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text;
  return `The command \`${cut}\` on line ${line} of ${where}`;
}

/** The exit code and output of a command. */
export interface Ended {
  /** The exit code, or null if a signal ended the command. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Reads the value that the `bash` skill returns after it runs a command. */
export function endedIn(value: Json | undefined): Ended {
  const { exitCode, stdout, stderr } = isJsonObject(value) ? value : {};
  return {
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    stdout: typeof stdout === 'string' ? stdout : '',
    stderr: typeof stderr === 'string' ? stderr : '',
  };
}

const reportingCommands = new Set(['grep', 'rg', 'diff', 'cmp', 'test', '[', 'which', 'pgrep']);

/**
 * Whether exit code 1 of a script means "no" or "different" rather than an error. This is the case if every
 * command that can determine the exit code uses 1 in this sense.
 */
export function mayEndWithOne(script: string): boolean {
  if (!isReadable(script)) return false;
  const { commands, errors = [] } = unbash().parse(script);
  return errors.length === 0 && lastReportsByExitCode(commands);
}

function lastReportsByExitCode(statements: readonly Statement[]): boolean {
  const last = statements.at(-1);
  return last !== undefined && last.background !== true && reportsByExitCode(last.command);
}

function reportsByExitCode(node: SyntaxNode | CompoundList): boolean {
  switch (node.type) {
    case 'AndOr': {
      // Only the commands after the last `||` determine whether the exit code is 1.
      const from = node.operators.lastIndexOf('||') + 1;
      return node.commands.slice(from).every(reportsByExitCode);
    }
    case 'Pipeline': {
      const last = node.commands.at(-1);
      return last !== undefined && reportsByExitCode(last);
    }
    case 'Subshell':
    case 'BraceGroup':
      return lastReportsByExitCode(node.body.commands);
    case 'TestCommand':
      return true;
    case 'Command':
      return reportingCommands.has(node.name?.value.replace(/^.*\//, '') ?? '');
    default:
      return false;
  }
}

/**
 * Returns the environment variable that selects the shell for the `bash` skill. Throws `sandbox.unavailable`
 * for PowerShell.
 */
export function shellVariable(
  { shell }: AgentSkillDefinition,
  { skill }: Scope,
): Readonly<Record<string, string>> {
  if (shell === undefined) return {};
  if (shell !== 'powershell') return { SKILLED_TOOL_SHELL: shell };
  throw new AgentError('sandbox.unavailable', `"${skill.name}" needs PowerShell, which is not supported.`, {
    hint: 'Rewrite its commands for bash or sh, and remove "shell".',
  });
}
