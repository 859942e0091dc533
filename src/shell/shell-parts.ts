import { innerOf } from './inner-of.ts';
import { keepsMeaning } from './keeps-meaning.ts';
import { readScript, type SimpleCommand } from './read-script.ts';
import { literalWord, textOfWords, type ShellWord } from './shell-word.ts';

/** A command line taken apart. */
export interface ShellParts {
  /** Each simple command that it could run, those that other commands run included. */
  readonly parts: readonly { readonly command: string }[];
  /** The same in other words, for rules that forbid. */
  readonly suspected: readonly { readonly command: string }[];
  /** It does nothing but run its parts, as far as a reader can tell. */
  readonly areAll: boolean;
  /** Some of it was too long or too deep to be read. */
  readonly isUnread?: true;
}

// Commands that run commands that run commands.
const mostDepth = 8;

/** Takes a command line apart as bash would read it. Pure; never throws. */
export function shellParts(command: string): ShellParts {
  const seen = new Set<string>();
  const parts = new Set<string>();
  const suspected = new Set<string>();
  let areAll = true;
  let isUnread = false;
  addScript(command, 0);
  return {
    parts: asCommands(parts),
    suspected: asCommands(suspected),
    areAll: areAll && !isUnread && parts.size > 0,
    ...(isUnread ? { isUnread } : {}),
  };

  function addScript(source: string, depth: number): void {
    const reading = readScript(source);
    areAll &&= reading.areAll;
    isUnread ||= reading.isUnread;
    for (const found of reading.commands) addCommand(found, depth);
  }

  function addCommand(found: SimpleCommand, depth: number): void {
    const { words } = found;
    const [first, ...others] = words;
    const key = JSON.stringify(found);
    if (first === undefined || seen.has(key)) return;
    seen.add(key);
    parts.add(textOfWords(words));
    const name = first.value.slice(first.value.lastIndexOf('/') + 1);
    for (const other of otherForms(name, words)) suspected.add(textOfWords(other));
    const inner = innerOf(name, found);
    areAll &&= inner.areAll && first.isLiteral && keepsMeaning(name, others);
    if (inner.commands.length + inner.scripts.length === 0) return;
    isUnread ||= depth === mostDepth;
    if (depth === mostDepth) return;
    for (const command of inner.commands) addCommand({ ...found, words: command }, depth + 1);
    for (const script of inner.scripts) addScript(script, depth + 1);
  }
}

/** A command without the path of its program, in the case that a careless file system takes it for, with braces expanded. */
function otherForms(name: string, words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const [first, ...others] = words;
  const names = [name, name.toLowerCase()].filter((other) => other !== '' && other !== first?.value);
  const expanded = words.flatMap(expandBraces);
  return [
    ...names.map((other) => [literalWord(other), ...others]),
    ...(expanded.length > words.length ? [expanded] : []),
  ];
}

function expandBraces(word: ShellWord): readonly ShellWord[] {
  const [, before = '', list, after = ''] = /^([^{}]*)\{([^{}]*,[^{}]*)\}([^{}]*)$/.exec(word.text) ?? [];
  if (word.isLiteral || list === undefined) return [word];
  return list.split(',').map((item) => literalWord(before + item + after));
}

function asCommands(texts: ReadonlySet<string>): readonly { readonly command: string }[] {
  return [...texts].map((command) => ({ command }));
}
