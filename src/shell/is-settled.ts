import type { Command, Coproc, ParameterExpansionPart, Redirect, SyntaxNode } from 'unbash';
import { isEvaluating } from './evaluates-variables.ts';
import { isAmpersand } from './is-ampersand.ts';
import { readWord } from './shell-word.ts';
import { isOwnVariable } from './is-own-variable.ts';

/**
 * Whether a piece of a command line, its own pieces aside, adds nothing to what the simple commands in it do. Only
 * kinds that are known to be harmless count: arithmetic evaluates the values of variables, which can hold commands;
 * and what bash reads as a test or a pattern another shell reads as commands.
 */
export function isSettled(node: SyntaxNode): boolean {
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
