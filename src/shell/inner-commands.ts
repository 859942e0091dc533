import type { SimpleCommand } from './read-script.ts';
import type { ShellWord } from './word.ts';

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'rbash']);

// Programs that run another program and whose syntax is too varied to find that program's name.
const others: ReadonlySet<string> = new Set([
  ...['busybox', 'toybox', 'chroot', 'chrt', 'flock', 'ionice', 'ltrace', 'nsenter', 'parallel'],
  ...['runuser', 'setpriv', 'strace', 'su', 'taskset', 'unshare', 'watch'],
]);

/** Returns whether a program runs a command or a script that its arguments contain. */
export function runsOthers(name: string): boolean {
  return shells.has(name) || others.has(name) || Object.hasOwn(wrappers, name);
}

/** Returns the commands that a simple command runs in turn. `name` is the base name of its path. */
export function innerOf(name: string, { words, given }: SimpleCommand): Inner {
  if (words[0]?.isLiteral === false || name.startsWith('-') || others.has(name)) return anythingIn(words);
  if (shells.has(name)) return innerOfShell(words, given);
  const [, first] = words;
  switch (name) {
    case 'eval':
      return first === undefined ? nothing : innerOfScript(words.slice(first.value === '--' ? 2 : 1));
    case 'trap':
      return innerOfTrap(words);
    case 'source':
    case '.':
      return innerOfFile(words.slice(1), given);
    case 'find':
      return innerOfFind(words);
    default:
      return innerOfWrapper(name, words) ?? nothing;
  }
}

/** Returns the commands that `sh`, `bash` and other shells run: the script after `-c`, or their input. */
function innerOfShell(words: readonly ShellWord[], given: readonly string[]): Inner {
  const options = readShellOptions(words.slice(1));
  if (options === undefined) return anythingIn(words);
  const { hasScript, readsInput, rest } = options;
  const [first] = rest;
  if (hasScript) return innerOfScript(first === undefined ? [] : [first]);
  if (first === undefined || readsInput) return { commands: [], scripts: given, areAll: false };
  return innerOfFile(rest, given);
}

/** Joins words into one script, as shells and `eval` do. The script is unknown if there are no words. */
function innerOfScript(words: readonly ShellWord[]): Inner {
  const script = words.map(({ value }) => value).join(' ');
  const areAll = words.length > 0 && words.every(({ isLiteral }) => isLiteral);
  return { commands: [], scripts: [script], areAll };
}

/** Returns the commands that `trap` runs later. */
function innerOfTrap(words: readonly ShellWord[]): Inner {
  const [script] = words.slice(words[1]?.value === '--' ? 2 : 1);
  return script === undefined || script.value === '-' ? nothing : innerOfScript([script]);
}

/**
 * Returns the commands that a shell or `source` runs from a file. The file is treated as a program, unless
 * it refers to the input.
 */
function innerOfFile(words: readonly ShellWord[], given: readonly string[]): Inner {
  const [file] = words;
  if (file === undefined) return nothing;
  const isProgram = file.isLiteral && !/^\/*(?:dev|proc)\//.test(file.value);
  return isProgram ? { ...nothing, alike: words } : { commands: [], scripts: given, areAll: false };
}

const harmless: ReadonlySet<string> = new Set(['--norc', '--noprofile', '--posix', '--login', '--verbose']);

/** Parses a shell's options. Returns undefined if it is unclear which words are options. */
function readShellOptions(words: readonly ShellWord[]) {
  let hasScript = false;
  let readsInput = false;
  let index = 0;
  for (let word = words[0]; word !== undefined; word = words[index]) {
    const { value, isLiteral } = word;
    if (!isLiteral && !hasScript) return undefined;
    if (!isLiteral || !/^[-+]/.test(value)) break;
    index++;
    if (value === '--' || value === '-') break;
    if (harmless.has(value)) continue;
    if (value.startsWith('--')) return undefined;
    if (value.startsWith('-')) {
      hasScript ||= value.includes('c');
      readsInput ||= value.includes('s');
    }
    index += value.replace(/[^oO]/g, '').length;
  }
  return { hasScript, readsInput, rest: words.slice(index) };
}

/** The syntax of a program that runs another command. */
interface Wrapper {
  /** The one-letter options, each followed by a colon if it takes a value. */
  readonly shortOptions: string;
  /** The long options, each followed by an equals sign if it takes a value. */
  readonly names?: readonly string[];
  /** The number of operands between the options and the other command. */
  readonly operands?: number;
  /** Whether variable assignments such as `A=b` may precede the other command. */
  readonly sets?: true;
  /** Options that make the program run no command. */
  readonly shows?: readonly string[];
  /**
   * The option that sets a placeholder. The program's input replaces each placeholder and is added at the
   * end.
   */
  readonly mark?: string;
}

const wrappers: Readonly<Record<string, Wrapper>> = {
  builtin: { shortOptions: '' },
  command: { shortOptions: 'pvV', shows: ['v', 'V'] },
  doas: { shortOptions: 'nu:' },
  env: { shortOptions: 'i0vu:C:', names: ['ignore-environment', 'null', 'unset=', 'chdir='], sets: true },
  exec: { shortOptions: 'cla:' },
  nice: { shortOptions: 'n:', names: ['adjustment='] },
  nohup: { shortOptions: '' },
  setsid: { shortOptions: 'cfw', names: ['ctty', 'fork', 'wait'] },
  stdbuf: { shortOptions: 'i:o:e:', names: ['input=', 'output=', 'error='] },
  sudo: { shortOptions: 'AbEHknPSg:p:u:', names: ['non-interactive', 'user=', 'group='], sets: true },
  time: { shortOptions: 'pvqf:', names: ['portability', 'verbose', 'quiet', 'format='] },
  timeout: {
    shortOptions: 'vk:s:',
    names: ['foreground', 'preserve-status', 'verbose', 'kill-after=', 'signal='],
    operands: 1,
  },
  xargs: {
    shortOptions: '0oprtxI:L:P:a:d:E:n:s:',
    names: ['null', 'no-run-if-empty', 'verbose', 'max-args=', 'max-lines=', 'max-procs=', 'delimiter='],
    mark: 'I',
  },
};

/**
 * Returns the command that a wrapper such as `sudo` runs, or undefined if the program is not a known wrapper.
 */
function innerOfWrapper(name: string, words: readonly ShellWord[]): Inner | undefined {
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (wrapper === undefined) return undefined;
  const options = readWrapperOptions(wrapper, words.slice(1));
  if (options === undefined) return anythingIn(words);
  const { found, rest } = options;
  if (wrapper.shows?.some((option) => found.has(option)) === true) return nothing;
  const command = rest.slice(wrapper.operands ?? 0);
  const settings = wrapper.sets === true ? countSettings(command) : 0;
  const inner = command.slice(settings);
  const before = rest.slice(0, rest.length - inner.length);
  if (before.some(({ isLiteral }) => !isLiteral)) return anythingIn(words);
  const areAll = settings === 0;
  if (inner.length === 0) return { ...nothing, areAll };
  const { mark } = wrapper;
  return { commands: [mark === undefined ? inner : completed(inner, found.get(mark))], scripts: [], areAll };
}

/**
 * Parses a wrapper's options. Returns undefined for an unknown option, because the start of the command is
 * then unclear.
 */
function readWrapperOptions({ shortOptions, names = [] }: Wrapper, words: readonly ShellWord[]) {
  const found = new Map<string, string>();
  let index = 0;
  for (let word = words[0]; word !== undefined; word = words[index]) {
    const { value, isLiteral } = word;
    if (!isLiteral || value === '-') return undefined;
    if (!value.startsWith('-')) break;
    index++;
    if (value === '--') break;
    if (value.startsWith('--')) {
      const [name = ''] = value.slice(2).split('=');
      const hasValue = value.includes('=');
      if (names.includes(`${name}=`)) index += hasValue ? 0 : 1;
      else if (hasValue || !names.includes(name)) return undefined;
      continue;
    }
    for (let offset = 1; offset < value.length; offset++) {
      const option = value.charAt(offset);
      const known = shortOptions.indexOf(option);
      if (known < 0 || option === ':') return undefined;
      found.set(option, '');
      if (shortOptions[known + 1] !== ':') continue;
      const joined = value.slice(offset + 1);
      found.set(option, joined === '' ? (words[index++]?.value ?? '') : joined);
      break;
    }
  }
  if (words.slice(0, index).some(({ isLiteral }) => !isLiteral)) return undefined;
  return { found, rest: words.slice(index) };
}

/** Inserts the program's input at each placeholder and at the end. */
function completed(words: readonly ShellWord[], mark: string | undefined): readonly ShellWord[] {
  const filled = mark === undefined ? words : words.map((word) => fillIn(word, mark));
  return [...filled, { text: '$@', value: '$@', isLiteral: false }];
}

function countSettings(words: readonly ShellWord[]): number {
  const first = words.findIndex(({ value }) => !/^\w+=/.test(value));
  return first < 0 ? words.length : first;
}

/** Returns the commands that `find` runs for each match. A word that contains `{}` is not literal. */
function innerOfFind(words: readonly ShellWord[]): Inner {
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

/** Marks a word as not literal if it contains a placeholder that a program replaces. */
function fillIn(word: ShellWord, mark: string): ShellWord {
  return word.value.includes(mark) ? { ...word, isLiteral: false } : word;
}

/** The commands that a simple command runs. */
interface Inner {
  readonly commands: readonly (readonly ShellWord[])[];
  /** The shell scripts that the command runs. */
  readonly scripts: readonly string[];
  /** Whether the command runs nothing else. */
  readonly areAll: boolean;
  /** The same command spelled differently, for example without the shell that runs it. */
  readonly alike?: readonly ShellWord[];
}

/** The result for a command that runs no other command. */
const nothing: Inner = { commands: [], scripts: [], areAll: true };

const maxGuesses = 12;

/**
 * Returns the result for a command that runs an unknown part of its arguments. The inner command may begin at
 * any word.
 */
function anythingIn(words: readonly ShellWord[]): Inner {
  const rest = words.slice(1, 1 + maxGuesses);
  return {
    commands: rest.map((_, index) => words.slice(1 + index)),
    scripts: rest.map(({ value }) => value).filter((value) => /\s/.test(value)),
    areAll: false,
  };
}
