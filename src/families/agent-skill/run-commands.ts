import { AgentError, type ErrorData } from '../../core/error.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import { optional } from '../../core/optional.ts';
import type { RenderedCommand } from '../../core/rendering.ts';
import type { Scope } from '../../core/scope.ts';
import type { AgentSkillDefinition, Shell } from './definition.ts';
import { mayEndWithOne } from './may-end-with-one.ts';
import type { DynamicCommand, RenderedBody } from './render/render-body.ts';

const mostMilliseconds = 60_000;

/** Runs the commands of a body one after another, as the policy allows each; throws at the first that fails. */
export async function runCommands(
  { pieces, environment }: Pick<RenderedBody, 'pieces' | 'environment'>,
  definition: AgentSkillDefinition,
  scope: Scope,
): Promise<readonly RenderedCommand[]> {
  const commands = pieces.filter((piece) => typeof piece !== 'string');
  const [first] = commands;
  if (first === undefined) return [];
  const variables = { ...environment, ...shellVariable(definition.shell, scope) };
  const ran: RenderedCommand[] = [];
  for (const [index, command] of commands.entries()) {
    const place = placeOf(command, definition, scope);
    ran.push(await runOne(command.command, place, `command-${index + 1}`, variables, scope));
  }
  return ran;
}

/** Tells the shell that a file asks for; throws for one that there is nowhere. */
export function shellVariable(
  shell: Shell | undefined,
  { skill }: Pick<Scope, 'skill'>,
): Readonly<Record<string, string>> {
  if (shell === undefined) return {};
  if (shell !== 'powershell') return { SKILLED_TOOL_SHELL: shell };
  throw new AgentError(
    'sandbox.unavailable',
    `"${skill.name}" asks for PowerShell, which is not supported.`,
    {
      hint: 'Write its commands for bash or sh, and remove "shell".',
    },
  );
}

async function runOne(
  command: string,
  place: Place,
  key: string,
  environment: Readonly<Record<string, string>>,
  scope: Scope,
): Promise<RenderedCommand> {
  const output = await scope.call(
    'bash',
    { command, timeout_ms: mostMilliseconds },
    { asWritten: true, key, process: { environment } },
  );
  if (output.status === 'failed') throw stopped(command, place, output.error);
  const { exitCode, stdout, stderr } = resultOf(output.value);
  const isFine = exitCode === 0 || (exitCode === 1 && mayEndWithOne(command));
  if (!isFine) throw failed(command, place, exitCode, stderr);
  return {
    command,
    ran: true,
    exitCode,
    output: withoutLineEnd(stdout),
  };
}

/** How a command ended. */
export interface Ended {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the `bash` skill says of a command that it ran. */
export function resultOf(value: Json | undefined): Ended {
  const { exitCode, stdout, stderr } = isJsonObject(value) ? value : {};
  return {
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    stdout: typeof stdout === 'string' ? stdout : '',
    stderr: typeof stderr === 'string' ? stderr : '',
  };
}

const mostCharacters = 100_000;
const noteRoom = 200; // whoever cut it before says so in a line

function withoutLineEnd(stdout: string): string {
  const text = stdout.replace(/\r?\n$/, '');
  if (text.length <= mostCharacters + noteRoom) return text;
  return `${text.slice(0, mostCharacters).toWellFormed()}\n[${text.length - mostCharacters} more characters were left out]`;
}

/** Where a command stands, for people. */
interface Place {
  readonly line: number;
  readonly shown: string;
}

function placeOf({ line }: DynamicCommand, { bodyLine }: AgentSkillDefinition, { skill }: Scope): Place {
  const inFile = bodyLine + line - 1;
  return { line: inFile, shown: `line ${inFile} of ${skill.file === '' ? `"${skill.name}"` : skill.file}` };
}

/** A command that was refused or stopped keeps the code of that. */
function stopped(command: string, { line, shown }: Place, error: ErrorData): AgentError {
  const { code, message, hint } = error;
  return new AgentError(
    code,
    `The command ${quoted(command)} on ${shown} did not come to its end: ${message}`,
    {
      ...optional('hint', hint),
      details: { command, line },
    },
  );
}

function failed(
  command: string,
  { line, shown }: Place,
  exitCode: number | null,
  stderr: string,
): AgentError {
  const end = exitCode === null ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
  const said = stderr.trim().slice(-2_000).toWellFormed();
  const message = `The command ${quoted(command)} on ${shown} ${end}${said === '' ? '.' : `: ${said}`}`;
  return new AgentError('skill.failed', message, {
    hint: 'Nothing of the skill was used. Let the command succeed, for example with "|| true".',
    details: { command, line, exitCode, stderr: said },
  });
}

const mostQuoted = 300;

function quoted(command: string): string {
  const shown = command.length > mostQuoted ? `${command.slice(0, mostQuoted).toWellFormed()}…` : command;
  return `\`${shown}\``;
}
