import {
  errorAt,
  warningAt,
  type Declares,
  type PlanGuard,
  type PlanStep,
  type PlanReference,
  type ScriptPosition,
  type SopIssue,
} from '../index.ts';
import { tagOf, visibleStart, type Opener } from './lines.ts';
import {
  hasToken,
  nextPosition,
  readTokens,
  skipWhitespace,
  take,
  takeWord,
  type LineCursor,
  type ScriptToken,
} from './tokens.ts';

/** A step's first line. */
interface Declaration {
  /** The step. A missing name or command is an empty string. */
  readonly step: PlanStep;
  /** The last token of the line, if that token starts a block of text. Such a token is not an argument. */
  readonly opener?: Opener;
  /** The comment after the tokens, with its `#`. */
  readonly inlineComment: string;
}

/** Reads the first line of a step. `index` is zero-based. */
export function readDeclaration(
  lines: readonly string[],
  index: number,
  declares: Declares,
  issues: SopIssue[],
): Declaration {
  const text = lines[index] ?? '';
  const cursor: LineCursor = { text, line: index + 1, at: visibleStart(text) };
  const position = nextPosition(cursor);
  cursor.at += '@'.length;
  const name = takeWord(cursor);
  if (name === '') issues.push(noName(position));

  const { each, command, commandPosition } = readCommand(cursor);
  if (command === '') issues.push(noCommand(position, name, each));

  const tokens = readTokens(cursor, (key) => declares(command, key), issues);
  const guard = lastGuard(tokens);
  const opener = openerOf(tokens.at(-1));
  const given = tokens.slice(0, tokens.length - (guard?.length ?? (opener ? 1 : 0)));
  for (const issue of findMisplaced(given)) issues.push(issue);

  const step: PlanStep = {
    name,
    command,
    arguments: given.map(({ argument }) => argument),
    ...(each && { each }),
    ...(guard && { when: guard.guard }),
    position,
    commandPosition,
  };
  return { step, ...(opener && { opener }), inlineComment: text.slice(cursor.at) };
}

type Command = Pick<PlanStep, 'each' | 'command' | 'commandPosition'>;

function readCommand(cursor: LineCursor): Command {
  const first = takeCommand(cursor);
  const each = first.command === 'each' ? takeReference(cursor) : undefined;
  return each === undefined ? first : { each, ...takeCommand(cursor) };
}

function takeCommand(cursor: LineCursor): Command {
  const isThere = hasToken(cursor);
  const commandPosition = nextPosition(cursor);
  return { command: isThere ? takeWord(cursor) : '', commandPosition };
}

const reference = /\$\S+/y;

function takeReference(cursor: LineCursor): PlanReference | undefined {
  skipWhitespace(cursor);
  const position = nextPosition(cursor);
  const taken = take(cursor, reference);
  return taken === '' ? undefined : { kind: 'reference', path: taken.slice(1), position };
}

function openerOf(token: ScriptToken | undefined): Opener | undefined {
  if (token?.isBare !== true || token.argument.kind !== 'text') return undefined;
  const { text, position } = token.argument;
  const tag = tagOf(text, 'begin');
  return tag === undefined ? undefined : { tag, position };
}

function noName(position: ScriptPosition): SopIssue {
  return errorAt(
    position,
    'sop.no-name',
    'The step has no name.',
    'Write a name directly after the @, for example "@result command".',
  );
}

function noCommand(position: ScriptPosition, name: string, each: PlanReference | undefined): SopIssue {
  const step = name === '' ? 'The step' : `The step "${name}"`;
  const start = `@${name || 'result'}${each === undefined ? '' : ` each $${each.path}`}`;
  return errorAt(
    position,
    'sop.no-command',
    `${step} has no command.`,
    `Write a command on the same line, for example "${start} command".`,
  );
}

/** Warns about guards and block openers that are not at the end of the line. */
function findMisplaced(tokens: readonly ScriptToken[]): readonly SopIssue[] {
  return tokens.flatMap(({ argument, isBare }, index) => {
    if (!isBare || argument.kind !== 'text') return [];
    const isOpener = tagOf(argument.text, 'begin') !== undefined;
    if (!isOpener && readGuard(tokens, index) === undefined) return [];
    return [
      warningAt(
        argument.position,
        'sop.not-last',
        `"${argument.text}" is plain text here, because more text follows on the line.`,
        isOpener
          ? 'To begin a text, put it last or on the next line; otherwise put it in quotes.'
          : 'Move the guard to the end of the line and any text to the next line, or put the word in quotes.',
      ),
    ];
  });
}

/** A parsed guard. */
interface ReadGuard {
  readonly guard: PlanGuard;
  /** The number of tokens in the guard: two for `when $x`, three for `when not $x`. */
  readonly length: 2 | 3;
}

/** Reads the guard that starts at a token. Does not check whether a guard may occur there. */
function readGuard(tokens: readonly ScriptToken[], index: number): ReadGuard | undefined {
  if (!isKeyword(tokens[index], 'when')) return undefined;
  const isNegated = isKeyword(tokens[index + 1], 'not');
  const of = referenceOf(tokens[index + (isNegated ? 2 : 1)]);
  return of === undefined ? undefined : { guard: { of, isNegated }, length: isNegated ? 3 : 2 };
}

/** Returns the guard at the end of the tokens, if there is one. */
function lastGuard(tokens: readonly ScriptToken[]): ReadGuard | undefined {
  const short = readGuard(tokens, tokens.length - 2);
  const long = readGuard(tokens, tokens.length - 3);
  return short ?? (long?.length === 3 ? long : undefined);
}

function isKeyword(token: ScriptToken | undefined, keyword: string): boolean {
  return token?.isBare === true && token.argument.kind === 'text' && token.argument.text === keyword;
}

function referenceOf(token: ScriptToken | undefined): PlanReference | undefined {
  return token?.isBare === true && token.argument.kind === 'reference' ? token.argument : undefined;
}
