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
import { escapeWhitespace, readWord, type ShellWord } from './word.ts';

/** A simple command as written in a script. */
export interface SimpleCommand {
  /** The command's name and arguments. Empty for a command without a name. */
  readonly words: readonly ShellWord[];
  /** The input that the script itself provides, as here-documents and here-strings. */
  readonly given: readonly string[];
}

/** The simple commands in a script, at any depth. */
interface Reading {
  readonly commands: readonly SimpleCommand[];
  /** Whether the script does nothing but run these commands. */
  readonly areAll: boolean;
  /** Whether part of the script could not be parsed and may therefore contain any command. */
  readonly isUnread: boolean;
}

/** Finds every simple command that a script could run. Never throws. */
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
    // The rest of the script could not be parsed. No allow rule can match it, but every deny rule can.
    return { commands, areAll: false, isUnread: true };
  }
  if (isFaulty) commands.push(...commandsInPieces(source));
  return { commands, areAll, isUnread: false };
}

const ends = /([\n;&|(){}`]+)/;
const opening = /^\s*(?:(?:if|then|elif|else|while|until|do|coproc|time|!)\s+)*/;

/**
 * Finds commands at every position where a command could begin. Bash continues after a line with an error,
 * and accepts some code that this parser rejects. After an opening bracket or backtick, the command may
 * continue with unknown words.
 */
function commandsInPieces(source: string): readonly SimpleCommand[] {
  const pieces = source.split(ends);
  return pieces.flatMap((piece, index) => {
    if (index % 2 === 1 || piece === source) return [];
    const { commands } = readScript(piece.replace(opening, ''));
    return /[({`]/.test(pieces[index + 1] ?? '') ? commands.map(withOpenEnd) : commands;
  });
}

function withOpenEnd(command: SimpleCommand): SimpleCommand {
  if (command.words.length === 0) return command;
  return { ...command, words: [...command.words, { text: '$', value: '$', isLiteral: false }] };
}

/** Returns the words of a script that is exactly one simple command, or undefined for any other script. */
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

/** Returns whether a string has no control characters, which terminals and shells interpret differently. */
function isPlainText(source: string): boolean {
  // eslint-disable-next-line no-control-regex -- it looks for exactly these
  return source.isWellFormed() && !/[\0-\x08\x0b-\x1f\x7f-\x9f]/.test(source);
}

function readCommand({ name, args, redirects }: Command): SimpleCommand {
  const words = args.map((argument) => {
    if (argument.type === 'Word') return readWord(argument);
    const { text } = argument;
    return { text: escapeWhitespace(text), value: text, isLiteral: false };
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
 * Returns whether a syntax node, without its children, has no effect beyond its simple commands. Returns
 * true only for kinds that are known to be harmless. Arithmetic evaluates the values of variables, which
 * can contain commands, and another shell may read bash's tests and patterns as commands.
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

// A list of types is clearer than a switch, because only a few types need further checks.
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
 * Returns whether a command has a literal name and sets no variable. Its words must be separate, unlike
 * words around `<(…)`, and nothing may follow `&>`, because other shells end the command there.
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

/** Returns whether a coprocess sets no shared variable and contains no word that bash treats as its end. */
function isSettledCoproc({ name, body }: Coproc): boolean {
  if (name !== undefined && !isOwnVariable(name.value)) return false;
  return body.type !== 'Command' || !body.args.some(({ text }) => reserved.test(text));
}

const reserved =
  /^(?:if|then|elif|else|fi|case|esac|for|select|while|until|do|done|in|function|time|coproc|[{}!]|\[\[)$/;

/** Returns whether a redirect only connects existing streams or uses /dev/null. */
function isHarmlessRedirect({ operator, target }: Redirect): boolean {
  if (target === undefined || !readWord(target).isLiteral) return false;
  if (operator === '>&' || operator === '<&') return /^(?:\d+|-)$/.test(target.value);
  return target.value === '/dev/null';
}

/** Returns whether an expansion sets no variable that other code reads. */
function isPlainExpansion({ operation, parameter }: ParameterExpansionPart): boolean {
  return operation?.type !== 'Default' || !operation.operator.includes('=') || isOwnVariable(parameter);
}
