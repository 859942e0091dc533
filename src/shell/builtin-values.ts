import type { FlowWord } from './value-flow.ts';
import { isNeutralVariable } from './variables.ts';

// Builtins that evaluate strings, change the meaning of later commands, or set variables by name.
const evaluating =
  /^(?:eval|trap|alias|unalias|enable|hash|shopt|bind|complete|compgen|compopt|let|declare|typeset|getopts|builtin|fc)$/;

/**
 * Returns how a shell builtin treats its arguments, or undefined for any other command. `isInner` is true if
 * another command runs this one. Pure.
 */
export function checkBuiltin(
  name: string,
  words: readonly FlowWord[],
  isInner: boolean,
): 'is safe' | 'exports' | 'evaluates' | undefined {
  if (evaluating.test(name)) return 'evaluates';
  switch (name) {
    case 'export':
    case 'local':
    case 'readonly':
      return !isInner && words.every(({ value }) => /^\w+$/.test(value)) ? 'exports' : 'evaluates';
    case 'read':
      return !isInner && words.every(isReadable) ? 'is safe' : 'evaluates';
    case 'set':
      return words[0]?.value === '--' || words.every(({ value }) => /^(?:[-+][euxo]+|pipefail)$/.test(value))
        ? 'is safe'
        : 'evaluates';
    case 'printf':
      return isSafePrintf(words[0]?.value === '--' ? words.slice(1) : words) ? 'is safe' : 'evaluates';
    case 'test':
    case '[':
      if (isInner && words.some(({ holdsValue }) => holdsValue)) return 'evaluates';
      return isSafeTest(name === '[' ? words.slice(0, -1) : words) ? 'is safe' : 'evaluates';
    default:
      return undefined;
  }
}

function isReadable({ value, isLiteral }: FlowWord): boolean {
  return isLiteral && (/^-[rs]$/.test(value) || (/^\w+$/.test(value) && isNeutralVariable(value)));
}

// Formats that only print their arguments. Other formats calculate or set variables.
const printing = /^(?:[^%]|%-?\d*(?:\.\d+)?[sbq]|%%)*$/;

function isSafePrintf([format, ...rest]: readonly FlowWord[]): boolean {
  if (format === undefined) return true;
  if (!format.isLiteral || format.holdsValue || format.value.startsWith('-')) return false;
  return printing.test(format.value) || !rest.some(({ holdsValue }) => holdsValue);
}

const unary = /^-[nzefdrwxsLhp]$/;
const binary = /^(?:==?|!=|<|>|-nt|-ot|-ef)$/;

/**
 * Accepts file tests and string comparisons with a fixed number of words. Other tests can evaluate variable
 * names.
 */
function isSafeTest(words: readonly FlowWord[]): boolean {
  if (!words.some(({ holdsValue }) => holdsValue))
    return !words.some(({ value }) => value === '-v' || value === '-R');
  const rest = words[0]?.value === '!' ? words.slice(1) : words;
  const [one, two] = rest;
  const isOneEach = rest.every(
    ({ splits, isLiteral, text }) => !splits && (isLiteral || !/[*?[{]/.test(text)),
  );
  if (!isOneEach) return false;
  if (rest.length === 2) return one?.isLiteral === true && unary.test(one.value);
  if (rest.length === 3) return two?.isLiteral === true && binary.test(two.value);
  return rest.length === 1;
}
