import type { Command, HereDoc, HereString, SyntaxNode } from 'unbash';
import { unbash } from './load-unbash.ts';
import { joinBlanks, readWord, type ShellWord } from './shell-word.ts';
import { isReadable } from './is-readable.ts';
import { isSettled } from './is-settled.ts';

/** A simple command as it is written in a script. */
export interface SimpleCommand {
  /** Its name and what follows; without a name, none. */
  readonly words: readonly ShellWord[];
  /** What the script itself gives it to read. */
  readonly given: readonly string[];
}

/** The simple commands in a script, wherever they stand in it. */
export interface Reading {
  readonly commands: readonly SimpleCommand[];
  /** Nothing else happens in it. */
  readonly areAll: boolean;
  /** It was not read to its end, so that anything may stand in it. */
  readonly isUnread: boolean;
}

/** Finds every simple command that a script could run; never throws. */
export function readScript(source: string): Reading {
  if (!isReadable(source)) return { commands: [], areAll: false, isUnread: true };
  const commands: SimpleCommand[] = [];
  let isFaulty = false;
  let areAll = isPlainText(source);
  try {
    const { parse, forEachChild } = unbash();
    const waiting: SyntaxNode[] = [parse(source)];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      areAll &&= isSettled(node);
      if (node.type === 'Command') commands.push(readCommand(node));
      if (node.type === 'Script') isFaulty ||= (node.errors ?? []).length > 0;
      const children: SyntaxNode[] = [];
      forEachChild(node, (child) => children.push(child));
      for (const child of children.reverse()) waiting.push(child);
    }
  } catch {
    // Whatever stopped the parser: what it did not see, no rule may allow, and every rule may forbid.
    return { commands, areAll: false, isUnread: true };
  }
  if (isFaulty) commands.push(...commandsInPieces(source));
  return { commands, areAll, isUnread: false };
}

const ends = /([\n;&|(){}`]+)/;
const opening = /^\s*(?:(?:if|then|elif|else|while|until|do|coproc|time|!)\s+)*/;

/**
 * What stands where commands may begin: bash goes on after the line of a fault, and some faults are none to it. Where
 * something opens, the command may go on behind it with words that nobody knows.
 */
function commandsInPieces(source: string): readonly SimpleCommand[] {
  const pieces = source.split(ends);
  return pieces.flatMap((piece, index) => {
    if (index % 2 === 1 || piece === source) return [];
    const { commands } = readScript(piece.replace(opening, ''));
    return /[({`]/.test(pieces[index + 1] ?? '') ? commands.map(goingOn) : commands;
  });
}

function goingOn(command: SimpleCommand): SimpleCommand {
  if (command.words.length === 0) return command;
  return { ...command, words: [...command.words, { text: '$', value: '$', isLiteral: false }] };
}

/** The words of a text that is one simple command and nothing else; undefined for any other. */
export function readWords(source: string): readonly ShellWord[] | undefined {
  if (!isReadable(source)) return undefined;
  const { commands, errors = [] } = unbash().parse(source);
  const [statement] = commands;
  if (commands.length !== 1 || statement === undefined || errors.length > 0) return undefined;
  const { command, background } = statement;
  if (command.type !== 'Command' || background === true || source.slice(command.end).trim() !== '')
    return undefined;
  if (command.prefix.length > 0 || command.redirects.length > 0) return undefined;
  return readCommand(command).words;
}

/** Without the characters that terminals and shells treat in ways of their own. */
function isPlainText(source: string): boolean {
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  return source.isWellFormed() && !/[\0-\x08\x0b-\x1f\x7f-\x9f]/.test(source);
}

function readCommand({ name, args, redirects }: Command): SimpleCommand {
  const words = args.map((argument) => {
    if (argument.type === 'Word') return readWord(argument);
    const { text } = argument;
    return { text: joinBlanks(text), value: text, isLiteral: false };
  });
  return {
    words: name === undefined ? [] : [readWord(name), ...words],
    given: redirects.filter(isGiven).map(textGiven),
  };
}

function isGiven(redirect: { readonly type: string }): redirect is HereDoc | HereString {
  return redirect.type === 'HereDoc' || redirect.type === 'HereString';
}

function textGiven(given: HereDoc | HereString): string {
  return given.type === 'HereDoc' ? given.body.text : (given.target?.value ?? '');
}
