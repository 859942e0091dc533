import type { SimpleCommand } from './read-script.ts';
import type { ShellWord } from './word.ts';

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'rbash']);

// Programs that run another one, called in too many ways to say where it begins.
const others: ReadonlySet<string> = new Set([
  ...['busybox', 'toybox', 'chroot', 'chrt', 'flock', 'ionice', 'ltrace', 'nsenter', 'parallel'],
  ...['runuser', 'setpriv', 'strace', 'su', 'taskset', 'unshare', 'watch'],
]);

/** What a simple command, known by the last part of its path, runs in turn. */
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

/** What `sh`, `bash` and their like run: the script behind `-c`, or what they are given to read. */
function innerOfShell(words: readonly ShellWord[], given: readonly string[]): Inner {
  const options = readShellOptions(words.slice(1));
  if (options === undefined) return anythingIn(words);
  const { hasScript, readsInput, rest } = options;
  const [first] = rest;
  if (hasScript) return innerOfScript(first === undefined ? [] : [first]);
  if (first === undefined || readsInput) return { commands: [], scripts: given, areAll: false };
  return innerOfFile(rest, given);
}

/** What `eval` and the shells make of words: one script. Without any, it comes from elsewhere. */
function innerOfScript(words: readonly ShellWord[]): Inner {
  const script = words.map(({ value }) => value).join(' ');
  const areAll = words.length > 0 && words.every(({ isLiteral }) => isLiteral);
  return { commands: [], scripts: [script], areAll };
}

/** What `trap` runs later. */
function innerOfTrap(words: readonly ShellWord[]): Inner {
  const [script] = words.slice(words[1]?.value === '--' ? 2 : 1);
  return script === undefined || script.value === '-' ? nothing : innerOfScript([script]);
}

/** What `source` runs: a file is a program like others, unless it stands for what is given to read. */
function innerOfFile(words: readonly ShellWord[], given: readonly string[]): Inner {
  const [file] = words;
  if (file === undefined) return nothing;
  const isProgram = file.isLiteral && !/^\/*(?:dev|proc)\//.test(file.value);
  return isProgram ? { ...nothing, alike: words } : { commands: [], scripts: given, areAll: false };
}

const harmless: ReadonlySet<string> = new Set(['--norc', '--noprofile', '--posix', '--login', '--verbose']);

/** Undefined when nobody can say what is an option and what is not. */
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

/** How a program that runs another one is called. */
interface Wrapper {
  /** Its options of one letter; a colon follows those that take a value. */
  readonly letters: string;
  /** Its options with a name; an equals sign follows those that take a value. */
  readonly names?: readonly string[];
  /** How many words stand between its options and the other command. */
  readonly operands?: number;
  /** Settings such as `A=b` may stand in front of the other command. */
  readonly sets?: true;
  /** Options with which it runs nothing. */
  readonly shows?: readonly string[];
  /** It completes the other command with what it reads: at the end, and where the mark stands that this option names. */
  readonly mark?: string;
}

const wrappers: Readonly<Record<string, Wrapper>> = {
  builtin: { letters: '' },
  command: { letters: 'pvV', shows: ['v', 'V'] },
  doas: { letters: 'nu:' },
  env: { letters: 'i0vu:C:', names: ['ignore-environment', 'null', 'unset=', 'chdir='], sets: true },
  exec: { letters: 'cla:' },
  nice: { letters: 'n:', names: ['adjustment='] },
  nohup: { letters: '' },
  setsid: { letters: 'cfw', names: ['ctty', 'fork', 'wait'] },
  stdbuf: { letters: 'i:o:e:', names: ['input=', 'output=', 'error='] },
  sudo: { letters: 'AbEHknPSg:p:u:', names: ['non-interactive', 'user=', 'group='], sets: true },
  time: { letters: 'pvqf:', names: ['portability', 'verbose', 'quiet', 'format='] },
  timeout: {
    letters: 'vk:s:',
    names: ['foreground', 'preserve-status', 'verbose', 'kill-after=', 'signal='],
    operands: 1,
  },
  xargs: {
    letters: '0oprtxI:L:P:a:d:E:n:s:',
    names: ['null', 'no-run-if-empty', 'verbose', 'max-args=', 'max-lines=', 'max-procs=', 'delimiter='],
    mark: 'I',
  },
};

/** What a program runs whose words end in another command; undefined for one that is not known to. */
function innerOfWrapper(name: string, words: readonly ShellWord[]): Inner | undefined {
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (wrapper === undefined) return undefined;
  const options = readWrapperOptions(wrapper, words.slice(1));
  if (options === undefined) return anythingIn(words);
  const { found, rest } = options;
  if (wrapper.shows?.some((letter) => found.has(letter)) === true) return nothing;
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

/** Undefined when an option is not known, so that nobody can say where the other command begins. */
function readWrapperOptions({ letters, names = [] }: Wrapper, words: readonly ShellWord[]) {
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
    for (let place = 1; place < value.length; place++) {
      const letter = value.charAt(place);
      const known = letters.indexOf(letter);
      if (known < 0 || letter === ':') return undefined;
      found.set(letter, '');
      if (letters[known + 1] !== ':') continue;
      const joined = value.slice(place + 1);
      found.set(letter, joined === '' ? (words[index++]?.value ?? '') : joined);
      break;
    }
  }
  if (words.slice(0, index).some(({ isLiteral }) => !isLiteral)) return undefined;
  return { found, rest: words.slice(index) };
}

/** With what the program reads put for a mark, and at the end. */
function completed(words: readonly ShellWord[], mark: string | undefined): readonly ShellWord[] {
  const filled = mark === undefined ? words : words.map((word) => fillIn(word, mark));
  return [...filled, { text: '$@', value: '$@', isLiteral: false }];
}

function countSettings(words: readonly ShellWord[]): number {
  const first = words.findIndex(({ value }) => !/^\w+=/.test(value));
  return first < 0 ? words.length : first;
}

/** What `find` runs for the files it finds; a word that holds `{}` is known only then. */
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

/** A word in which a program puts something else for a mark. */
function fillIn(word: ShellWord, mark: string): ShellWord {
  return word.value.includes(mark) ? { ...word, isLiteral: false } : word;
}

/** What a simple command runs in turn. */
interface Inner {
  readonly commands: readonly (readonly ShellWord[])[];
  /** In the language of the shell. */
  readonly scripts: readonly string[];
  /** It runs nothing else. */
  readonly areAll: boolean;
  /** The command itself, as it could also be written. */
  readonly alike?: readonly ShellWord[];
}

/** What a command runs that runs no other. */
const nothing: Inner = { commands: [], scripts: [], areAll: true };

const mostGuesses = 12;

/** What a command may run of which only that is known: any of its words may be where another command begins. */
function anythingIn(words: readonly ShellWord[]): Inner {
  const rest = words.slice(1, 1 + mostGuesses);
  return {
    commands: rest.map((_, index) => words.slice(1 + index)),
    scripts: rest.map(({ value }) => value).filter((value) => /\s/.test(value)),
    areAll: false,
  };
}
