import type { ShellWord } from './shell-word.ts';

/** What a simple command runs in turn. */
export interface Inner {
  readonly commands: readonly (readonly ShellWord[])[];
  /** In the language of the shell. */
  readonly scripts: readonly string[];
  /** It runs nothing else. */
  readonly areAll: boolean;
  /** The command itself, as it could also be written. */
  readonly alike?: readonly ShellWord[];
}

/** What a command runs that runs no other. */
export const nothing: Inner = { commands: [], scripts: [], areAll: true };

const mostGuesses = 12;

/** What a command may run of which only that is known: any of its words may be where another command begins. */
export function anythingIn(words: readonly ShellWord[]): Inner {
  const rest = words.slice(1, 1 + mostGuesses);
  return {
    commands: rest.map((_, index) => words.slice(1 + index)),
    scripts: rest.map(({ value }) => value).filter((value) => /\s/.test(value)),
    areAll: false,
  };
}
