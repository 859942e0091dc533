import {
  errorAt,
  warningAt,
  type Declares,
  type Guard,
  type PlanStep,
  type Reference,
  type ScriptPosition,
  type SopIssue,
} from '../index.ts';
import { tagOf, type Opener } from './lines.ts';
import {
  hasToken,
  placeOfNext,
  readTokens,
  skipBlanks,
  take,
  takeWord,
  type LineCursor,
  type ScriptToken,
} from './tokens.ts';

/** The first line of a step. */
interface Declaration {
  /** Its name and its command are empty where they are missing. */
  readonly step: PlanStep;
  /** Begins a text on the next line; it is the last word, and no argument. */
  readonly opener?: Opener;
  /** As it stands behind the tokens, `#` included. */
  readonly inlineComment: string;
}

/** Reads a line that begins a step; lines are counted from 0 here. */
export function readDeclaration(
  lines: readonly string[],
  index: number,
  declares: Declares,
  issues: SopIssue[],
): Declaration {
  const text = lines[index] ?? '';
  const cursor: LineCursor = { text, line: index + 1, at: 0 };
  skipBlanks(cursor);
  const place = placeOfNext(cursor);
  cursor.at += '@'.length;
  const name = takeWord(cursor);
  if (name === '') issues.push(noName(place));

  const { each, command, commandPlace } = readCommand(cursor);
  if (command === '') issues.push(noCommand(place, name, each));

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
    place,
    commandPlace,
  };
  return { step, ...(opener && { opener }), inlineComment: text.slice(cursor.at) };
}

type Command = Pick<PlanStep, 'each' | 'command' | 'commandPlace'>;

function readCommand(cursor: LineCursor): Command {
  const first = takeCommand(cursor);
  const each = first.command === 'each' ? takeReference(cursor) : undefined;
  return each === undefined ? first : { each, ...takeCommand(cursor) };
}

function takeCommand(cursor: LineCursor): Command {
  const isThere = hasToken(cursor);
  const commandPlace = placeOfNext(cursor);
  return { command: isThere ? takeWord(cursor) : '', commandPlace };
}

const reference = /\$\S+/y;

function takeReference(cursor: LineCursor): Reference | undefined {
  skipBlanks(cursor);
  const place = placeOfNext(cursor);
  const taken = take(cursor, reference);
  return taken === '' ? undefined : { kind: 'reference', path: taken.slice(1), place };
}

function openerOf(token: ScriptToken | undefined): Opener | undefined {
  if (token?.isBare !== true || token.argument.kind !== 'text') return undefined;
  const { text, place } = token.argument;
  const tag = tagOf(text, 'begin');
  return tag === undefined ? undefined : { tag, place };
}

function noName(place: ScriptPosition): SopIssue {
  return errorAt(
    place,
    'sop.no-name',
    'The step has no name.',
    'Write one directly behind the @, as in "@result command".',
  );
}

function noCommand(place: ScriptPosition, name: string, each: Reference | undefined): SopIssue {
  const step = name === '' ? 'The step' : `The step "${name}"`;
  const start = `@${name || 'result'}${each === undefined ? '' : ` each $${each.path}`}`;
  return errorAt(
    place,
    'sop.no-command',
    `${step} has no command.`,
    `Write one on the same line, as in "${start} command".`,
  );
}

/** Words of a step that are text, but would mean more if they stood last on their line. */
function findMisplaced(tokens: readonly ScriptToken[]): readonly SopIssue[] {
  return tokens.flatMap(({ argument, isBare }, index) => {
    if (!isBare || argument.kind !== 'text') return [];
    const isOpener = tagOf(argument.text, 'begin') !== undefined;
    if (!isOpener && readGuard(tokens, index) === undefined) return [];
    return [
      warningAt(
        argument.place,
        'sop.not-last',
        `"${argument.text}" is text here, because more follows on its line.`,
        isOpener
          ? 'Put it last or on the next line to begin a text with it, or in quotes.'
          : 'Put the guard last, and a text that follows on the next line; or put the word in quotes.',
      ),
    ];
  });
}

/** The tokens that a guard is made of. */
interface ReadGuard {
  readonly guard: Guard;
  /** How many: `when $x` or `when not $x`. */
  readonly length: 2 | 3;
}

/** The guard that begins with a token, whether or not it stands where one counts. */
function readGuard(tokens: readonly ScriptToken[], index: number): ReadGuard | undefined {
  if (!isWord(tokens[index], 'when')) return undefined;
  const isNegated = isWord(tokens[index + 1], 'not');
  const of = referenceOf(tokens[index + (isNegated ? 2 : 1)]);
  return of === undefined ? undefined : { guard: { of, isNegated }, length: isNegated ? 3 : 2 };
}

/** The guard that the tokens end with. */
function lastGuard(tokens: readonly ScriptToken[]): ReadGuard | undefined {
  const short = readGuard(tokens, tokens.length - 2);
  const long = readGuard(tokens, tokens.length - 3);
  return short ?? (long?.length === 3 ? long : undefined);
}

function isWord(token: ScriptToken | undefined, word: string): boolean {
  return token?.isBare === true && token.argument.kind === 'text' && token.argument.text === word;
}

function referenceOf(token: ScriptToken | undefined): Reference | undefined {
  return token?.isBare === true && token.argument.kind === 'reference' ? token.argument : undefined;
}
