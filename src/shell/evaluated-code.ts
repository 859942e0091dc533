import { innerOf } from './inner-commands.ts';
import { readScript, type SimpleCommand } from './read-script.ts';
import { evaluatesVariables, isPowerfulVariable, keepsMeaning } from './variables.ts';
import type { ShellWord } from './word.ts';

/** What of a script is more than data to the programs that it runs. */
export interface Evaluated {
  /** The words that say which programs run. */
  readonly programs: readonly string[];
  /** Texts that are run as code: by another shell, by an interpreter, or as the names that builtins evaluate. */
  readonly code: readonly string[];
  /** Something runs code that only comes about while the script runs, and so may be made of anything in it. */
  readonly isOpen: boolean;
  /** What variables hold is more than data: it says which program runs, or is evaluated. A value could get into one on any way. */
  readonly readsVariables: boolean;
}

/** Finds what a script evaluates. Pure; throws when the script cannot be read to its end. */
export function evaluatedIn(script: string): Evaluated {
  const { commands, isUnread } = readScript(script);
  if (isUnread) throw new SyntaxError('the script is too long or too deep');
  const found: Found = {
    programs: [],
    code: [],
    isOpen: false,
    readsVariables: evaluatesVariables(script),
  };
  for (const command of commands) addCommand(found, command, 0);
  return found;
}

interface Found {
  readonly programs: string[];
  readonly code: string[];
  isOpen: boolean;
  readsVariables: boolean;
}

const mostDepth = 8;
const evaluating = /^(?:eval|trap|source|\.|sh|bash|dash|ash|zsh|ksh|mksh|rbash)$/;

function addCommand(found: Found, command: SimpleCommand, depth: number): void {
  const [first, ...others] = command.words;
  if (first === undefined) return;
  if (depth > mostDepth) throw new SyntaxError('commands that run commands go too deep');
  const name = first.value.slice(first.value.lastIndexOf('/') + 1);
  const inner = innerOf(name, command);
  found.programs.push(first.value, ...(inner.alike?.slice(0, 1) ?? []).map(({ value }) => value));
  found.code.push(...inner.scripts, ...programWords(name, command.words).map(({ value }) => value));
  const isChanging = !keepsMeaning(name, others);
  found.code.push(
    ...others.map(({ value }) => value).filter((value) => isChanging || isPowerfulSetting(value)),
  );
  found.readsVariables ||= !first.isLiteral || takesNames(name, others);
  found.isOpen ||= !inner.areAll && evaluating.test(name);
  for (const words of inner.commands) addCommand(found, { ...command, words }, depth + 1);
}

/** Whether a builtin evaluates names of variables that are not written out, or makes variables whose values are evaluated. */
function takesNames(name: string, words: readonly ShellWord[]): boolean {
  if (/^(?:let|unset|read|mapfile|readarray|getopts)$/.test(name))
    return words.some(({ isLiteral }) => !isLiteral);
  const isDeclaring = /^(?:declare|typeset|local|export|readonly)$/.test(name);
  return isDeclaring && words.some(({ value }) => /^-[a-zA-Z]*[in]/.test(value));
}

/** As `env` takes them: PATH=… */
function isPowerfulSetting(word: string): boolean {
  return isPowerfulVariable(word.split('=', 1)[0] ?? '') && word.includes('=');
}

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
function programWords(name: string, [, ...words]: readonly ShellWord[]): readonly ShellWord[] {
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
