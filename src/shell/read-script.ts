import type {
  Command,
  Coproc,
  HereDoc,
  HereString,
  ParameterExpansionPart,
  Redirect,
  SyntaxNode,
} from 'unbash';
import { isAmpersand, isReadable, unbash } from './parser.ts';
import { isEvaluating, isOwnVariable } from './variables.ts';
import { joinBlanks, readWord, type ShellWord } from './word.ts';

/** A simple command as it is written in a script. */
export interface SimpleCommand {
  /** Its name and what follows; without a name, none. */
  readonly words: readonly ShellWord[];
  /** What the script itself gives it to read. */
  readonly given: readonly string[];
}

/** The simple commands in a script, wherever they stand in it. */
interface Reading {
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

/**
 * Whether a piece of a command line, its own pieces aside, adds nothing to what the simple commands in it do. Only
 * kinds that are known to be harmless count: arithmetic evaluates the values of variables, which can hold commands;
 * and what bash reads as a test or a pattern another shell reads as commands.
 */
function isSettled(node: SyntaxNode): boolean {
  if (transparent.has(node.type)) return true;
  switch (node.type) {
    case 'Script':
      return (node.errors ?? []).length === 0;
    case 'Command':
      return isSettledCommand(node);
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return node.script !== undefined;
    case 'Redirect':
      return isHarmlessRedirect(node);
    case 'HereString':
      return node.target !== undefined;
    case 'HereDoc':
      return node.delimiter !== undefined && node.closing !== undefined;
    case 'For':
    case 'Select':
      return isOwnVariable(node.name.value);
    case 'Coproc':
      return isSettledCoproc(node);
    case 'ParameterExpansion':
      return !isEvaluating(node) && isPlainExpansion(node);
    case 'Slice':
    case 'ArithmeticExpansion':
    case 'ArithmeticWord':
    case 'TestUnary':
      return !isEvaluating(node);
    case 'TestBinary':
      return comparing.test(node.operator) && !isEvaluating(node);
    case 'AnsiCQuoted':
      return !node.text.includes("\\'");
    default:
      return false;
  }
}

const comparing = /^(?:==?|!=|-(?:nt|ot|ef|eq|ne|lt|le|gt|ge))$/;

// A switch over all of them would hide the few kinds that have conditions.
const transparent: ReadonlySet<string> = new Set<SyntaxNode['type']>([
  ...(['Statement', 'CompoundList', 'Pipeline', 'AndOr', 'Time', 'Negation', 'Redirected'] as const),
  ...(['If', 'Elif', 'While', 'Subshell', 'BraceGroup', 'Case', 'CaseItem'] as const),
  ...(['TestCommand', 'TestNot'] as const),
  ...(['Word', 'Literal', 'SingleQuoted', 'DoubleQuoted', 'LocaleString', 'Glob', 'BraceExpansion'] as const),
  ...(['SimpleExpansion', 'Default', 'Remove', 'Replace', 'CaseModification'] as const),
  ...(['FileDescriptor', 'HereDocDelimiter', 'HereDocBody'] as const),
  ...(['ArithmeticBinary', 'ArithmeticUnary', 'ArithmeticTernary', 'ArithmeticGroup'] as const),
]);

/**
 * It has a name that is known and sets no variable; no two of its words touch, as those around `<(…)` can; and nothing
 * follows `&>`, which other shells read as the end of a command.
 */
function isSettledCommand({ name, prefix, suffix }: Command): boolean {
  if (name === undefined || name.value === '' || !readWord(name).isLiteral) return false;
  if ([...prefix, ...suffix].some(({ type }) => type === 'Assignment') || prefix.some(isAmpersand))
    return false;
  return suffix.every(({ type, pos }, index) => {
    const before = suffix[index - 1] ?? name;
    return !isAmpersand(before) && (type !== 'Word' || pos > before.end);
  });
}

/** It sets no variable that others read, and none of its words is one that bash would take for the end of it. */
function isSettledCoproc({ name, body }: Coproc): boolean {
  if (name !== undefined && !isOwnVariable(name.value)) return false;
  return body.type !== 'Command' || !body.args.some(({ text }) => reserved.test(text));
}

const reserved =
  /^(?:if|then|elif|else|fi|case|esac|for|select|while|until|do|done|in|function|time|coproc|[{}!]|\[\[)$/;

/** Between the streams it has anyway, or to and from nowhere. */
function isHarmlessRedirect({ operator, target }: Redirect): boolean {
  if (target === undefined || !readWord(target).isLiteral) return false;
  if (operator === '>&' || operator === '<&') return /^(?:\d+|-)$/.test(target.value);
  return target.value === '/dev/null';
}

/** Setting no variable that others read. */
function isPlainExpansion({ operation, parameter }: ParameterExpansionPart): boolean {
  return operation?.type !== 'Default' || !operation.operator.includes('=') || isOwnVariable(parameter);
}
