import { anythingIn, nothing, type Inner } from './inner.ts';
import type { ShellWord } from './shell-word.ts';

/** What `find` runs for the files it finds; a word that holds `{}` is known only then. */
export function innerOfFind(words: readonly ShellWord[]): Inner {
  if (!words.every(({ isLiteral }) => isLiteral)) return anythingIn(words);
  let inner = nothing;
  for (const [index, { value }] of words.entries()) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(value)) continue;
    const end = words.findIndex((word, later) => later > index && endsCommand(word, words[later - 1]));
    if (end < 0) return anythingIn(words);
    const command = words.slice(index + 1, end).map((word) => fillIn(word, '{}'));
    inner = { ...inner, commands: [...inner.commands, command] };
  }
  return inner;
}

/** A word in which a program puts something else for a mark. */
export function fillIn(word: ShellWord, mark: string): ShellWord {
  return word.value.includes(mark) ? { ...word, isLiteral: false } : word;
}

function endsCommand({ value }: ShellWord, before: ShellWord | undefined): boolean {
  return value === ';' || (value === '+' && before?.value === '{}');
}
