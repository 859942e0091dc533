import {
  warningAt,
  type Argument,
  type Literal,
  type PlanStep,
  type ScriptPosition,
  type SopIssue,
} from '../index.ts';
import { hasPlace } from './intake.ts';
import type { KnownCommand } from './known-commands.ts';
import type { ResolvedStep, Variables } from './resolve-step.ts';

/** Texts that were probably meant as more than text, and references as less; `lines` are those of the script. */
export function findUnlikelyTexts(
  { arguments: given, each }: ResolvedStep,
  known: KnownCommand,
  variables: Variables,
  lines: () => readonly string[],
): readonly SopIssue[] {
  const isThere = (path: string): boolean => variables.find(path, each !== undefined) !== undefined;
  return given.flatMap((argument, index) => {
    const doubt = doubtAt(index);
    return doubt === undefined ? [] : [warningAt(argument.place, 'sop.unlikely-text', ...doubt)];
  });

  function doubtAt(index: number): Doubt | undefined {
    const argument = given[index];
    if (argument === undefined) return undefined;
    if (argument.kind === 'reference') return tooLong(argument.path, variables, isThere);
    const { text, place } = argument;
    if (text.includes('$') && known.command.isLiteral !== true && isQuoteAt(place, lines()))
      return referenceIn(text, isThere);
    if (text.includes('=$') && known.command.isLiteral !== true && isWrittenAt(place, text, lines()))
      return namedReference(text, isThere);
    const isNearEnd = index >= given.length - 3; // no guard is longer
    if (text === 'when' && isNearEnd && isBare(argument, lines()))
      return guardIn(given.slice(index + 1), variables);
    if (text.startsWith('--') && isBare(argument, lines())) return flagIn(text, known);
    return undefined;
  }
}

/** What is the case, and what to do if something else was meant. */
type Doubt = readonly [message: string, hint: string];

function isQuoteAt({ line, column }: ScriptPosition, lines: readonly string[]): boolean {
  return /["']/.test(lines[line - 1]?.[column - 1] ?? '');
}

/** Whether a text stands in the script letter by letter, without a quote or an escape. */
function isWrittenAt({ line, column }: ScriptPosition, text: string, lines: readonly string[]): boolean {
  return lines[line - 1]?.startsWith(text, column - 1) === true;
}

/** The end of a sentence that became a part of the way into a value. */
function tooLong(
  path: string,
  { isDeclared }: Variables,
  isThere: (path: string) => boolean,
): Doubt | undefined {
  const end = /(?<!\p{P})[.,;:!?]$/u.exec(path)?.[0];
  if (end === undefined || isDeclared(path) || !isThere(path)) return undefined;
  return [
    `The "${end}" at its end is a part of $${path}`,
    `Put a blank between $${path.slice(0, -1)} and ${end}`,
  ];
}

/** A variable that is mentioned where it is not looked up. */
function referenceIn(text: string, isThere: (path: string) => boolean): Doubt | undefined {
  for (const [, name = ''] of text.matchAll(/\$([\p{L}\p{N}_-]+)/gu)) {
    if (isThere(name)) return [`In quotes $${name} is text.`, 'To refer to it, end the quotes before it.'];
  }
  return undefined;
}

/** A variable as the value of a named argument, where none has that name. */
function namedReference(text: string, isThere: (path: string) => boolean): Doubt | undefined {
  const [, key, name = ''] = /^([\p{L}_][\p{L}\p{N}_-]*)=\$([\p{L}\p{N}_-]+)/u.exec(text) ?? [];
  if (key === undefined || !isThere(name)) return undefined;
  return [
    `"${text}" is text: there is no argument "${key}" to name.`,
    `Leave out "${key}=", or declare the input of the command.`,
  ];
}

/** `when x`, `when not x` and `when !$x` at the end of the arguments. */
function guardIn(rest: readonly Argument[], { isDeclared }: Variables): Doubt | undefined {
  const words = rest.map((argument) => (argument.kind === 'text' ? argument.text : ''));
  const [, not, path = ''] = /^(not |!)?\$?(\S+)$/.exec(words.join(' ')) ?? [];
  const [variable = ''] = path.split('.', 1);
  if (!isDeclared(path) && !isDeclared(variable)) return undefined;
  return [
    '"when" is text here, because no reference follows.',
    `Write: when ${not === undefined ? '' : 'not '}$${path}`,
  ];
}

/** An argument that is named as on a command line. */
function flagIn(text: string, { intake }: KnownCommand): Doubt | undefined {
  const key = text.slice(2);
  if (!hasPlace(intake, key)) return undefined;
  return [`"${text}" is text here.`, `To name an argument, write ${key}=<value>.`];
}

/** Bare words such as `contry=France` that were probably meant as a named argument; `lines` are those of the script. */
export function findUnlikelyNames(
  { command, arguments: given }: PlanStep,
  { intake, suggestPlace }: KnownCommand,
  lines: () => readonly string[],
): readonly SopIssue[] {
  if (intake.kind !== 'places') return [];
  return given.flatMap((argument) => {
    if (argument.kind !== 'text' || argument.key !== undefined) return [];
    const [, key] = /^([\p{L}_][\p{L}\p{N}_-]{0,63})=/u.exec(argument.text) ?? [];
    if (key === undefined) return [];
    const suggestion = suggestPlace(key);
    if (suggestion === undefined || !isBare(argument, lines())) return [];
    const message = `"${command}" takes no "${key}", so this word is text.`;
    const hint = `${suggestion} Put it in quotes if it is text.`;
    return [warningAt(argument.place, 'sop.unlikely-name', message, hint)];
  });
}

/** Words such as the `5` of `bash sleep 5`, which another argument takes and not the shell; `lines` are those of the script. */
export function findLooseWords(
  { arguments: given, command: name }: PlanStep,
  { command, intake }: KnownCommand,
  lines: () => readonly string[],
): readonly SopIssue[] {
  if (command.isLiteral !== true || intake.kind !== 'places' || intake.inOrder.length < 2) return [];
  const [first, second] = given.filter(({ key }) => key === undefined);
  if (first?.kind !== 'text' || second?.kind !== 'text') return [];
  if (!isBare(first, lines()) || !isBare(second, lines())) return [];
  const message = `"${second.text}" is another argument of "${name}", and no part of "${first.text}".`;
  return [
    warningAt(
      second.place,
      'sop.unlikely-text',
      message,
      'Put both in one pair of quotes if they are one text.',
    ),
  ];
}

/** Whether a text stands in a script as it is, without quotes around it; `lines` are those of the script. */
function isBare({ text, place: { line, column } }: Literal, lines: readonly string[]): boolean {
  return text !== '' && lines[line - 1]?.startsWith(text, column - 1) === true;
}
