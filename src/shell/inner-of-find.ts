import { anythingIn, type Inner } from './inner.ts';
import type { ShellWord } from './shell-word.ts';

/** What `find` runs for the files it finds; a word that holds `{}` is known only then. */
export function innerOfFind(words: readonly ShellWord[]): Inner {
  if (!words.every(({ isLiteral }) => isLiteral)) return anythingIn(words);
  const commands: ShellWord[][] = [];
  let open: ShellWord[] | undefined;
  for (const word of words) {
    const { value } = word;
    if (open === undefined) {
      if (/^-(?:exec|execdir|ok|okdir)$/.test(value)) open = [];
    } else if (value === ';' || (value === '+' && open.at(-1)?.value === '{}')) {
      commands.push(open);
      open = undefined;
    } else {
      open.push(fillIn(word, '{}'));
    }
  }
  return open === undefined ? { commands, scripts: [], areAll: true } : anythingIn(words);
}

/** A word in which a program puts something else for a mark. */
export function fillIn(word: ShellWord, mark: string): ShellWord {
  return word.value.includes(mark) ? { ...word, isLiteral: false } : word;
}
