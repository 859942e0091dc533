import {
  hidesText,
  optional,
  type Json,
  type RenderContext,
  type Rendering,
  type Replacement,
  type Scope,
} from '../../../core/index.ts';
import type { AgentSkillDefinition } from '../parse.ts';
import { argumentValues, type ArgumentValues } from './arguments.ts';
import { commandEnvironment, fillCommand } from './fill-command.ts';
import { findCommands, type FoundCommand } from './find-commands.ts';
import { positionRule, type PositionalStyle } from './positions.ts';
import { splitAtPlaceholders, type Filled, type PlaceholderValues } from './placeholders.ts';

/** Renders a skill's text for an input, without running its commands. Pure. Throws `usage.bad-input`. */
export function renderSkill(
  definition: AgentSkillDefinition,
  input: Json,
  context: RenderContext,
): Rendering {
  const { pieces, replacements } = bodyFor(definition, input, context);
  const commands = pieces.filter((piece) => typeof piece !== 'string');
  return {
    text: trimmed(joinPieces(pieces, ({ command }) => `[not run: ${command}]`)),
    commands: commands.map(({ command }) => ({ command, ran: false })),
    replacements,
  };
}

/** Renders a skill's body for an input and splits it at its commands. Pure. Throws `usage.bad-input`. */
export function bodyFor(
  { body, bodyLine, argumentNames = [], positional, pluginDir, allowDash = false }: AgentSkillDefinition,
  args: Json,
  given: RenderContext,
): RenderedBody {
  const context = { ...given, ...optional('pluginDir', pluginDir) };
  const facts = { args, argumentNames, context, allowDash, firstLine: bodyLine };
  return renderBody(body(), { ...facts, ...optional('positional', positional) });
}

/** Returns the values of the variables in a skill's text, based on the scope in which the skill runs. */
export function renderContext(
  { skill, run: { session }, request: { isPrompt }, files: { workspace } }: Scope,
  { hasFolder }: AgentSkillDefinition,
): RenderContext {
  const skillDir = hasFolder ? skill.dir : undefined;
  return { session, skillDir, projectDir: workspace, ...optional('isPrompt', isPrompt) };
}

/** Removes the blank lines around the text. */
export function trimmed(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
}

/** Options for rendering a body. */
export interface RenderFacts {
  /** The arguments; null or undefined if there are none. A string is split as a shell would split it. */
  readonly args: Json | undefined;
  /** The argument names in their declared order. */
  readonly argumentNames: readonly string[];
  /** Absent if the file declares no arguments. */
  readonly positional?: PositionalStyle;
  readonly context: RenderContext;
  /** The one-based line of the file where the body begins. Defaults to 1. */
  readonly firstLine?: number;
  /** Whether values may begin with a dash where a program could interpret them as options. */
  readonly allowDash: boolean;
}

/** A command in a body, which is replaced with its output. */
export interface DynamicCommand {
  readonly kind: 'inline' | 'block';
  /** The command as written in the body, with its backticks. */
  readonly source: string;
  /** The command as the shell runs it, with arguments inserted. */
  readonly command: string;
  /** The command's offset in the body, in UTF-16 units. */
  readonly at: number;
  /** The one-based line number in the body. */
  readonly line: number;
}

/** A body with its arguments inserted, before its commands run. */
export interface RenderedBody {
  /** The body's text and commands, in order. The text is not processed further. */
  readonly pieces: readonly (string | DynamicCommand)[];
  /** The inserted values, including those in commands. */
  readonly replacements: readonly Replacement[];
  /** The arguments as environment variables for the commands. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether the arguments contain invisible characters. */
  readonly hidden: boolean;
}

/**
 * Renders a body in one pass over its original text: commands are located first, then placeholders are
 * filled. Inserted values are never scanned again. Pure. Throws `usage.bad-input` if a command cannot use a
 * value.
 */
export function renderBody(
  body: string,
  { args, argumentNames, positional, context, allowDash, firstLine = 1 }: RenderFacts,
): RenderedBody {
  const values = argumentValues(args, argumentNames);
  const rule = positionRule(body, positional, context.isPrompt === true);
  const meanings: PlaceholderValues = { values, context, rule };
  const filled: Filled[] = [];
  const pieces: (string | DynamicCommand)[] = [];
  let done = 0;
  for (const found of findCommands(body)) {
    pieces.push(fillText(body, done, found.start, meanings, filled));
    const command = readCommand(body, found, { meanings, allowDash, filled, firstLine });
    if (command !== undefined) pieces.push(command);
    done = found.end;
  }
  pieces.push(fillText(body, done, body.length, meanings, filled));
  const hasArguments = filled.some(({ isArgument, isGuess }) => isArgument && isGuess !== true);
  if (!hasArguments && !values.isEmpty) pieces.push(`${lineEndsAfter(body)}ARGUMENTS: ${values.whole}`);
  const commands = pieces.filter((piece) => typeof piece !== 'string');
  return {
    pieces: pieces.filter((piece) => piece !== ''),
    replacements: filled.map(({ placeholder, value, at }) => ({ placeholder, value, at })),
    environment: commandEnvironment(
      values,
      commands.map(({ command }) => command),
    ),
    hidden: hidesArguments(values),
  };
}

/** Joins a body's pieces into one string. `textOf` returns the text that replaces a command. */
export function joinPieces(
  pieces: readonly (string | DynamicCommand)[],
  textOf: (command: DynamicCommand, index: number) => string,
): string {
  let index = 0;
  return pieces.map((piece) => (typeof piece === 'string' ? piece : textOf(piece, index++))).join('');
}

/** Whether rendering a body would find any commands. Pure. */
export function hasCommands(body: string): boolean {
  return findCommands(body).some(({ from, to }) => body.slice(from, to).trim() !== '');
}

function fillText(
  body: string,
  start: number,
  end: number,
  meanings: PlaceholderValues,
  filled: Filled[],
): string {
  const pieces = splitAtPlaceholders(body, { start, end }, meanings, 'person');
  note(pieces, filled);
  return pieces.map((piece) => (typeof piece === 'string' ? piece : piece.value)).join('');
}

interface Filling {
  readonly meanings: PlaceholderValues;
  readonly allowDash: boolean;
  readonly filled: Filled[];
  readonly firstLine: number;
}

/** Reads a command in a body and inserts the arguments. Returns undefined if the command is empty. */
function readCommand(
  body: string,
  { kind, start, end, from, to, line }: FoundCommand,
  { meanings, allowDash, filled, firstLine }: Filling,
): DynamicCommand | undefined {
  const written = body.slice(from, to);
  if (written.trim() === '') return undefined;
  const pieces = splitAtPlaceholders(body, { start: from, end: to }, meanings, 'shell');
  note(pieces, filled);
  const command = fillCommand(pieces, { written, line: line + firstLine - 1 }, allowDash);
  return { kind, source: body.slice(start, end), command, at: start, line };
}

function note(pieces: readonly (string | Filled)[], filled: Filled[]): void {
  for (const piece of pieces) if (typeof piece !== 'string') filled.push(piece);
}

/** Returns the line breaks to append to text so that it ends with a blank line. */
function lineEndsAfter(body: string): string {
  if (body.trim() === '') return '';
  const ends = /(?:\r?\n[ \t]*)?\r?\n$/.exec(body)?.[0].match(/\n/g)?.length ?? 0;
  return '\n'.repeat(2 - ends);
}

function hidesArguments({ whole, positions, names }: ArgumentValues): boolean {
  return [whole, ...positions, ...names.values()].some((value) => value !== undefined && hidesText(value));
}
