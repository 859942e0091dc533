/** The kind of a position in a command. It determines which values can be inserted there. */
export type Kind = DataKind | CodeKind;

/** The kinds of positions that take values. */
export type DataKind =
  /** Any string that the program does not interpret as more than data. */
  | 'data'
  /** Any text after an equals sign that is written in the script itself. */
  | 'pair'
  /** Only letters, digits and `_ . / @ + -`, because a shell could parse the value a second time. */
  | 'plain'
  /**
   * Like `plain`, but without absolute paths, scopes and parent folders, because the named file could run.
   */
  | 'word'
  /** The name of a package, with or without a scope and a version. */
  | 'package'
  /** A git reference: without `:`, `*` and spaces, and without `+` or `^` at the start. */
  | 'ref'
  /** Digits only, in a script for `sed` that only selects, prints and substitutes text. */
  | 'sed';

/** The kinds of positions that take no value. Most also restrict the text of the script itself. */
export type CodeKind =
  /** Code, an output file, or the name of a program. */
  | 'fixed'
  /** A file that is run as a program. It must be a script of the skill or the project. */
  | 'file'
  /** Code in the given language, which must do no more than print and calculate. */
  | 'awk'
  | 'python'
  /** The name of a file to write, or a format into which curl inserts parts of its arguments. */
  | 'output'
  | 'format';

/** The kinds of values that a program's options and operands accept. */
export interface Syntax {
  /** The kinds of each option's values; empty for a flag. The option `-#` represents all numbers. */
  readonly options: ReadonlyMap<string, readonly Kind[]>;
  /** The kinds of the operands. The last kind also applies to all later operands. */
  readonly operands: readonly Kind[];
  /** The option whose value is code. If it is present, the first operand kind does not apply. */
  readonly code: string;
  /** Whether the options end at the first operand. */
  readonly isOrdered: boolean;
  /**
   * Whether the program never runs another program, regardless of its arguments, its input and the files
   * around it. If so, its options are not parsed.
   */
  readonly isFree: boolean;
  /** Whether the program reads its input as data. */
  readonly readsData: boolean;
  /** Matches the beginning of a value that the program would not read as data. */
  readonly special: RegExp;
  /** Whether `--` does not end the program's options. */
  readonly ignoresDashes: boolean;
  /**
   * Matches arguments with which the program writes files or otherwise changes what later commands do. Each
   * argument follows a space.
   */
  readonly effects: RegExp | undefined;
}

/**
 * Defines a syntax from lists that are separated by spaces. An option with several values is written as
 * `-o=a,b`.
 */
export function defineSyntax(options: string, operands: string, more: Partial<Syntax> = {}): Syntax {
  const entries = split(options).map((option): [string, readonly Kind[]] => {
    const [name = '', kinds = ''] = option.split('=');
    return [name, kinds === '' ? [] : (kinds.split(',') as Kind[])];
  });
  return {
    options: new Map(entries),
    operands: split(operands) as Kind[],
    code: '',
    isOrdered: false,
    isFree: false,
    readsData: false,
    special: /^-/,
    ignoresDashes: false,
    effects: undefined,
    ...more,
  };
}

function split(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** Assigns the same syntax to each name in a list. Bars or line breaks separate the names. */
export function all(names: string, shared: Syntax): Readonly<Record<string, Syntax>> {
  return Object.fromEntries(names.split(/[|\n]\s*/).map((name) => [name.trim(), shared]));
}
