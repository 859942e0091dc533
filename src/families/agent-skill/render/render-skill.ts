import {
  hidesText,
  type Json,
  type RenderPlace,
  type Rendering,
  type Replacement,
  type Scope,
} from '../../../core/index.ts';
import type { AgentSkillDefinition } from '../parse.ts';
import { argumentValues, type ArgumentValues } from './arguments.ts';
import { commandEnvironment, fillCommand } from './fill-command.ts';
import { findCommands, type FoundCommand } from './find-commands.ts';
import { splitAtPlaceholders, type Filled, type PlaceholderValues } from './placeholders.ts';

/** What a skill comes to with an input, its commands not run; pure. Throws `usage.bad-input`. */
export function renderSkill(definition: AgentSkillDefinition, input: Json, place: RenderPlace): Rendering {
  const { pieces, replacements } = bodyFor(definition, input, place);
  const commands = pieces.filter((piece) => typeof piece !== 'string');
  return {
    text: trimmed(joinPieces(pieces, ({ command }) => `[not run: ${command}]`)),
    commands: commands.map(({ command }) => ({ command, ran: false })),
    replacements,
  };
}

/** The body of a skill with an input put in, taken apart at its commands; pure. Throws `usage.bad-input`. */
export function bodyFor(
  { body, bodyLine, argumentNames = [], allowDash = false }: AgentSkillDefinition,
  args: Json,
  place: RenderPlace,
): RenderedBody {
  return renderBody(body(), { args, argumentNames, place, allowDash, firstLine: bodyLine });
}

/** What the variables in the text of a skill stand for while it is used. */
export function placeIn(
  { skill, run: { session }, files: { workspace } }: Scope,
  { hasFolder }: AgentSkillDefinition,
): RenderPlace {
  return { session, skillDir: hasFolder ? skill.dir : undefined, projectDir: workspace };
}

/** Without blank lines around it. */
export function trimmed(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
}

/** What a body is rendered with. */
export interface RenderFacts {
  /** None when null or undefined; a string as given, to be split into words. */
  readonly args: Json | undefined;
  /** In their declared order. */
  readonly argumentNames: readonly string[];
  readonly place: RenderPlace;
  /** One-based line of the file on which the body begins; 1 unless given. */
  readonly firstLine?: number;
  /** Values that begin with a dash may stand where a program could take them for options. */
  readonly allowDash: boolean;
}

/** A command whose output belongs into a text. */
export interface DynamicCommand {
  readonly kind: 'inline' | 'block';
  /** As written in the body, with its backticks. */
  readonly source: string;
  /** As the shell gets it, arguments put in. */
  readonly command: string;
  /** Where it begins in the body, in UTF-16 units. */
  readonly at: number;
  /** One-based, in the body. */
  readonly line: number;
}

/** A body with its arguments put in; commands have not run. */
export interface RenderedBody {
  /** In order; text is final. */
  readonly pieces: readonly (string | DynamicCommand)[];
  /** What was put in, commands included. */
  readonly replacements: readonly Replacement[];
  /** The arguments as variables for the commands. */
  readonly environment: Readonly<Record<string, string>>;
  /** The arguments hold characters that a reader cannot see. */
  readonly hidden: boolean;
}

/**
 * Renders a body in one pass over its original text: commands are located first, then placeholders are filled, and
 * nothing that was put in is looked at again. Pure. Throws `usage.bad-input` for a value that a command cannot be given.
 */
export function renderBody(
  body: string,
  { args, argumentNames, place, allowDash, firstLine = 1 }: RenderFacts,
): RenderedBody {
  const values = argumentValues(args, argumentNames);
  const meanings: PlaceholderValues = { values, place };
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
  const hasArguments = filled.some(({ isArgument }) => isArgument);
  if (!hasArguments && !values.isBlank) pieces.push(`${lineEndsAfter(body)}ARGUMENTS: ${values.whole}`);
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

/** The whole text, with what `textOf` gives for each command, by its number. */
export function joinPieces(
  pieces: readonly (string | DynamicCommand)[],
  textOf: (command: DynamicCommand, index: number) => string,
): string {
  let index = 0;
  return pieces.map((piece) => (typeof piece === 'string' ? piece : textOf(piece, index++))).join('');
}

/** Whether a body has commands: exactly those that rendering finds. Pure. */
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
  const pieces = splitAtPlaceholders(body.slice(start, end), meanings, 'person');
  note(pieces, start, filled);
  return pieces.map((piece) => (typeof piece === 'string' ? piece : piece.value)).join('');
}

interface Filling {
  readonly meanings: PlaceholderValues;
  readonly allowDash: boolean;
  readonly filled: Filled[];
  readonly firstLine: number;
}

/** Undefined for an empty one, which stands for nothing. */
function readCommand(
  body: string,
  { kind, start, end, from, to, line }: FoundCommand,
  { meanings, allowDash, filled, firstLine }: Filling,
): DynamicCommand | undefined {
  const written = body.slice(from, to);
  if (written.trim() === '') return undefined;
  const pieces = splitAtPlaceholders(written, meanings, 'shell');
  note(pieces, from, filled);
  const command = fillCommand(pieces, { written, line: line + firstLine - 1 }, allowDash);
  return { kind, source: body.slice(start, end), command, at: start, line };
}

function note(pieces: readonly (string | Filled)[], start: number, filled: Filled[]): void {
  for (const piece of pieces) if (typeof piece !== 'string') filled.push({ ...piece, at: piece.at + start });
}

/** What must follow a body for the next line to stand behind a blank one. */
function lineEndsAfter(body: string): string {
  if (body.trim() === '') return '';
  const ends = /(?:\r?\n[ \t]*)?\r?\n$/.exec(body)?.[0].match(/\n/g)?.length ?? 0;
  return '\n'.repeat(2 - ends);
}

function hidesArguments({ whole, positions, names }: ArgumentValues): boolean {
  return [whole, ...positions, ...names.values()].some((value) => value !== undefined && hidesText(value));
}
