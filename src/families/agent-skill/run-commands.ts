import type { CompoundList, Statement, SyntaxNode } from 'unbash';
import {
  AgentError,
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

/** Runs the commands of a body one after another, as the policy allows each; throws at the first that fails. */
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

const mostMilliseconds = 60_000;

async function runOne(
  placed: PlacedCommand,
  key: string,
  environment: Readonly<Record<string, string>>,
  scope: Scope,
): Promise<RenderedCommand> {
  const { command } = placed;
  const output = await scope.call(
    'bash',
    { command, timeout_ms: mostMilliseconds },
    { asWritten: true, key, process: { environment } },
  );
  if (output.status === 'failed') throw stoppedCommand(placed, output.error);
  const ended = endedIn(output.value);
  const { exitCode, stdout } = ended;
  const isFine = exitCode === 0 || (exitCode === 1 && mayEndWithOne(command));
  if (!isFine) throw failedCommand(placed, ended);
  return { command, ran: true, exitCode, output: withoutLineEnd(stdout) };
}

const mostCharacters = 100_000;
const noteRoom = 200; // whoever cut it before says so in a line

function withoutLineEnd(stdout: string): string {
  const text = stdout.replace(/\r?\n$/, '');
  const over = text.length - mostCharacters;
  if (over <= noteRoom) return text;
  return `${text.slice(0, mostCharacters).toWellFormed()}\n[${over} more characters were left out]`;
}

/** A command and where it stands. */
interface PlacedCommand {
  readonly command: string;
  /** One-based, in the file. */
  readonly line: number;
  /** The file, or the skill where there is none. */
  readonly where: string;
}

/** What a command ends an activation with that was refused or stopped: the code of that. */
function stoppedCommand(placed: PlacedCommand, error: ErrorData): AgentError {
  const { code, message, hint, details } = error;
  const said = tailOf(endedIn(details));
  return new AgentError(code, `${shown(placed)} could not be carried out: ${message}`, {
    ...optional('hint', hint),
    details: { command: placed.command, line: placed.line, ...(said === '' ? {} : { stderr: said }) },
  });
}

/** What a command ends an activation with that failed. */
function failedCommand(placed: PlacedCommand, ended: Ended): AgentError {
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

/** How a command ended. */
export interface Ended {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the `bash` skill says of a command that it ran. */
export function endedIn(value: Json | undefined): Ended {
  const { exitCode, stdout, stderr } = isJsonObject(value) ? value : {};
  return {
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    stdout: typeof stdout === 'string' ? stdout : '',
    stderr: typeof stderr === 'string' ? stderr : '',
  };
}

const telling = new Set(['grep', 'rg', 'diff', 'cmp', 'test', '[', 'which', 'pgrep']);

/** Whether exit code 1 of a script only says "no" or "different": whatever could have ended it with one says it that way. */
export function mayEndWithOne(script: string): boolean {
  if (!isReadable(script)) return false;
  const { commands, errors = [] } = unbash().parse(script);
  return errors.length === 0 && lastTells(commands);
}

function lastTells(statements: readonly Statement[]): boolean {
  const last = statements.at(-1);
  return last !== undefined && last.background !== true && tells(last.command);
}

function tells(node: SyntaxNode | CompoundList): boolean {
  switch (node.type) {
    case 'AndOr': {
      const from = node.operators.lastIndexOf('||') + 1; // what stood before it has failed already
      return node.commands.slice(from).every(tells);
    }
    case 'Pipeline': {
      const last = node.commands.at(-1);
      return last !== undefined && tells(last);
    }
    case 'Subshell':
    case 'BraceGroup':
      return lastTells(node.body.commands);
    case 'TestCommand':
      return true;
    case 'Command':
      return telling.has(node.name?.value.replace(/^.*\//, '') ?? '');
    default:
      return false;
  }
}

/** The variable that tells `bash` which shell a file asks for; throws `sandbox.unavailable` for one that there is nowhere. */
export function shellVariable(
  { shell }: AgentSkillDefinition,
  { skill }: Scope,
): Readonly<Record<string, string>> {
  if (shell === undefined) return {};
  if (shell !== 'powershell') return { SKILLED_TOOL_SHELL: shell };
  throw new AgentError('sandbox.unavailable', `"${skill.name}" asks for PowerShell, which there is not.`, {
    hint: 'Write its commands for bash or sh, and remove "shell".',
  });
}
