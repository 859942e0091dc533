import { anythingIn, nothing, type Inner } from './inner.ts';
import { fillIn } from './inner-of-find.ts';
import type { ShellWord } from './shell-word.ts';

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
export function innerOfWrapper(name: string, words: readonly ShellWord[]): Inner | undefined {
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (wrapper === undefined) return undefined;
  const options = readOptions(wrapper, words.slice(1));
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
function readOptions({ letters, names = [] }: Wrapper, words: readonly ShellWord[]) {
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
