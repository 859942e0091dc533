import {
  warningAt,
  type PlanArgument,
  type PlanLiteral,
  type PlanStep,
  type ScriptPosition,
  type SopIssue,
} from '../index.ts';
import { hasParameter } from './intake.ts';
import type { KnownCommand } from './known-commands.ts';
import type { ResolvedStep, Variables } from './resolve-step.ts';

/**
 * Finds literals that were probably meant as references or as syntax, and references with extra characters.
 * `lines` returns the lines of the script.
 */
export function findUnlikelyTexts(
  { arguments: given, each }: ResolvedStep,
  known: KnownCommand,
  variables: Variables,
  lines: () => readonly string[],
): readonly SopIssue[] {
  const isThere = (path: string): boolean => variables.find(path, each !== undefined) !== undefined;
  return given.flatMap((argument, index) => {
    const doubt = doubtAt(index);
    return doubt === undefined ? [] : [warningAt(argument.position, 'sop.unlikely-text', ...doubt)];
  });

  function doubtAt(index: number): Doubt | undefined {
    const argument = given[index];
    if (argument === undefined) return undefined;
    if (argument.kind === 'reference') return tooLong(argument.path, variables, isThere);
    const { text, position } = argument;
    if (text.includes('$') && known.command.isLiteral !== true && isQuoteAt(position, lines()))
      return referenceIn(text, isThere);
    if (text.includes('=$') && known.command.isLiteral !== true && isWrittenAt(position, text, lines()))
      return namedReference(text, isThere);
    // A guard is one of the last three tokens in a line.
    const isNearEnd = index >= given.length - 3;
    if (text === 'when' && isNearEnd && isBare(argument, lines()))
      return guardIn(given.slice(index + 1), variables);
    if (text.startsWith('--') && isBare(argument, lines())) return flagIn(text, known);
    return undefined;
  }
}

/** A possible mistake and advice on how to correct it. */
type Doubt = readonly [message: string, hint: string];

function isQuoteAt({ line, column }: ScriptPosition, lines: readonly string[]): boolean {
  return /["']/.test(lines[line - 1]?.[column - 1] ?? '');
}

/** Whether the script contains this text at this position, without quotes or escapes. */
function isWrittenAt({ line, column }: ScriptPosition, text: string, lines: readonly string[]): boolean {
  return lines[line - 1]?.startsWith(text, column - 1) === true;
}

/** Finds a reference that ends with the punctuation of a sentence. */
function tooLong(
  path: string,
  { isDeclared }: Variables,
  isThere: (path: string) => boolean,
): Doubt | undefined {
  const end = /(?<!\p{P})[.,;:!?]$/u.exec(path)?.[0];
  if (end === undefined || isDeclared(path) || !isThere(path)) return undefined;
  return [
    `The "${end}" at the end is part of $${path}`,
    `Put a space between $${path.slice(0, -1)} and ${end}`,
  ];
}

/** Finds a reference in quotes, where it is plain text. */
function referenceIn(text: string, isThere: (path: string) => boolean): Doubt | undefined {
  for (const [, name = ''] of text.matchAll(/\$([\p{L}\p{N}_-]+)/gu)) {
    if (isThere(name))
      return [
        `$${name} is plain text because it is in quotes.`,
        'To refer to the variable, close the quotes before it.',
      ];
  }
  return undefined;
}

/** Finds a reference that is used as the value of an unknown named argument. */
function namedReference(text: string, isThere: (path: string) => boolean): Doubt | undefined {
  const [, key, name = ''] = /^([\p{L}_][\p{L}\p{N}_-]*)=\$([\p{L}\p{N}_-]+)/u.exec(text) ?? [];
  if (key === undefined || !isThere(name)) return undefined;
  return [
    `"${text}" is plain text: there is no argument "${key}".`,
    `Remove "${key}=", or declare the input of the command.`,
  ];
}

/**
 * Finds a guard with a mistake, such as `when x`, `when not x` or `when !$x`, at the end of the arguments.
 */
function guardIn(rest: readonly PlanArgument[], { isDeclared }: Variables): Doubt | undefined {
  const texts = rest.map((argument) => (argument.kind === 'text' ? argument.text : ''));
  const [, not, path = ''] = /^(not |!)?\$?(\S+)$/.exec(texts.join(' ')) ?? [];
  const [variable = ''] = path.split('.', 1);
  if (!isDeclared(path) && !isDeclared(variable)) return undefined;
  return [
    '"when" is plain text here, because no reference follows.',
    `Write: when ${not === undefined ? '' : 'not '}$${path}`,
  ];
}

/** Finds an argument that looks like a flag of a shell command. */
function flagIn(text: string, { intake }: KnownCommand): Doubt | undefined {
  const key = text.slice(2);
  if (!hasParameter(intake, key)) return undefined;
  return [`"${text}" is plain text here.`, `To name an argument, write ${key}=<value>.`];
}

/**
 * Finds words such as `contry=France`, which are probably misspelled named arguments. `lines` returns the
 * lines of the script.
 */
export function findUnlikelyNames(
  { command, arguments: given }: PlanStep,
  { intake, suggestParameter }: KnownCommand,
  lines: () => readonly string[],
): readonly SopIssue[] {
  if (intake.kind !== 'parameters') return [];
  return given.flatMap((argument) => {
    if (argument.kind !== 'text' || argument.key !== undefined) return [];
    const [, key] = /^([\p{L}_][\p{L}\p{N}_-]{0,63})=/u.exec(argument.text) ?? [];
    if (key === undefined) return [];
    const suggestion = suggestParameter(key);
    if (suggestion === undefined || !isBare(argument, lines())) return [];
    const message = `"${command}" takes no argument "${key}", so this word is plain text.`;
    const hint = `${suggestion} If the word is meant as text, put it in quotes.`;
    return [warningAt(argument.position, 'sop.unlikely-name', message, hint)];
  });
}

/**
 * Finds words without quotes that are passed as separate arguments by mistake. For example, the `5` in `bash
 * sleep 5` is not part of the shell command. `lines` returns the lines of the script.
 */
export function findLooseArguments(
  { arguments: given, command: name }: PlanStep,
  { command, intake }: KnownCommand,
  lines: () => readonly string[],
): readonly SopIssue[] {
  if (command.isLiteral !== true || intake.kind !== 'parameters' || intake.inOrder.length < 2) return [];
  const [first, second] = given.filter(({ key }) => key === undefined);
  if (first?.kind !== 'text' || second?.kind !== 'text') return [];
  if (!isBare(first, lines()) || !isBare(second, lines())) return [];
  const message = `"${second.text}" is a separate argument of "${name}", not part of "${first.text}".`;
  return [
    warningAt(
      second.position,
      'sop.unlikely-text',
      message,
      'If the words belong together, put them in one pair of quotes.',
    ),
  ];
}

/** Whether the script contains a literal without quotes. */
function isBare({ text, position: { line, column } }: PlanLiteral, lines: readonly string[]): boolean {
  return text !== '' && lines[line - 1]?.startsWith(text, column - 1) === true;
}
