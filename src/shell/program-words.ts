import type { ShellWord } from './shell-word.ts';

/** How a program is given a program of its own to run. */
interface Interpreter {
  /** Options behind which, or in which, it stands. */
  readonly options: RegExp;
  /** Without one of those, the first operand is it; these options take the word after them, and so no operand. */
  readonly others?: RegExp;
}

const interpreters: readonly (readonly [name: RegExp, Interpreter])[] = [
  [/^(?:python|pypy)[\d.]*$/, { options: /^-[a-zA-Z]*c/ }],
  [/^(?:node|bun|deno|tsx)$/, { options: /^(?:-[a-z]*[ep]|--eval|--print|eval$)/ }],
  [/^(?:perl|ruby|lua|Rscript|osascript)[\d.]*$/, { options: /^-[a-zA-Z0-9]*[eE]/ }],
  [/^php[\d.]*$/, { options: /^-[rBRE]/ }],
  [/^[gmn]?awk$/, { options: /^(?:-e|--source)/, others: /^(?:-[Fvi]|--assign|--field-separator)$/ }],
  [/^g?sed$/, { options: /^(?:-[a-zA-Z]*e|--expression)/, others: /^-[a-zA-Z]*l$/ }],
];

// They hand their words to a shell somewhere else.
const remote = /^(?:ssh|rsh|mosh)$/;
const fromFile = /^(?:-[a-z]*f|--file)/;

/** The words of a simple command that its program takes for a program in turn; in doubt rather one too many. Pure. */
export function programWords(name: string, [, ...words]: readonly ShellWord[]): readonly ShellWord[] {
  if (remote.test(name)) return words;
  const [, interpreter] = interpreters.find(([pattern]) => pattern.test(name)) ?? [];
  if (interpreter === undefined) return [];
  const { options, others } = interpreter;
  const hasOperand =
    others !== undefined && !words.some(({ value }) => fromFile.test(value) || options.test(value));
  const found: ShellWord[] = [];
  for (const [index, word] of words.entries()) {
    const before = words[index - 1]?.value ?? '';
    if (options.test(word.value) || options.test(before)) found.push(word);
    else if (word.value.startsWith('-') || others?.test(before) === true) continue;
    else if (hasOperand) return [word];
    else if (!before.startsWith('-')) return found; // its operands begin here
  }
  return found;
}
