import { hasToken, placeOfNext, skipBlanks, take, takeWord } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import { findMisplaced } from './find-misplaced.ts';
import { tagOf } from './heredoc.ts';
import type { Opener } from './heredoc.ts';
import type { Declares, Place, PlanStep, Reference } from '../plan.ts';
import { lastGuard } from './read-guard.ts';
import { readTokens } from './read-tokens.ts';
import type { Token } from './read-tokens.ts';
import { errorAt } from '../sop-issue.ts';
import type { SopIssue } from '../sop-issue.ts';

/** The first line of a step. */
export interface Declaration {
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
  const cursor: Cursor = { text, line: index + 1, at: 0 };
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

function readCommand(cursor: Cursor): Command {
  const first = takeCommand(cursor);
  const each = first.command === 'each' ? takeReference(cursor) : undefined;
  return each === undefined ? first : { each, ...takeCommand(cursor) };
}

function takeCommand(cursor: Cursor): Command {
  const isThere = hasToken(cursor);
  const commandPlace = placeOfNext(cursor);
  return { command: isThere ? takeWord(cursor) : '', commandPlace };
}

const reference = /\$\S+/y;

function takeReference(cursor: Cursor): Reference | undefined {
  skipBlanks(cursor);
  const place = placeOfNext(cursor);
  const taken = take(cursor, reference);
  return taken === '' ? undefined : { kind: 'reference', path: taken.slice(1), place };
}

function openerOf(token: Token | undefined): Opener | undefined {
  if (token?.isBare !== true || token.argument.kind !== 'text') return undefined;
  const { text, place } = token.argument;
  const tag = tagOf(text, 'begin');
  return tag === undefined ? undefined : { tag, place };
}

function noName(place: Place): SopIssue {
  return errorAt(
    place,
    'sop.no-name',
    'The step has no name.',
    'Write one directly behind the @, as in "@result command".',
  );
}

function noCommand(place: Place, name: string, each: Reference | undefined): SopIssue {
  const step = name === '' ? 'The step' : `The step "${name}"`;
  const start = `@${name || 'result'}${each === undefined ? '' : ` each $${each.path}`}`;
  return errorAt(
    place,
    'sop.no-command',
    `${step} has no command.`,
    `Write one on the same line, as in "${start} command".`,
  );
}
