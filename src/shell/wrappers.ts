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
  readonly shows?: string;
  /** The option that names a mark for what it reads, with which, or without which at the end, the command is completed. */
  readonly mark?: string;
}

const wrappers: Readonly<Record<string, Wrapper>> = {
  builtin: { letters: '' },
  command: { letters: 'pvV', shows: 'vV' },
  doas: { letters: 'nu:' },
  env: { letters: 'i0vu:C:', names: ['ignore-environment', 'null', 'unset=', 'chdir='], sets: true },
  exec: { letters: 'cla:' },
  nice: { letters: 'n:', names: ['adjustment='] },
  nohup: { letters: '' },
  setsid: { letters: 'cfw', names: ['ctty', 'fork', 'wait'] },
  stdbuf: { letters: 'i:o:e:', names: ['input=', 'output=', 'error='] },
  sudo: { letters: 'AbEHknPSg:h:p:u:', names: ['non-interactive', 'user=', 'group='], sets: true },
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
  if (!Object.hasOwn(wrappers, name)) return undefined;
  const wrapper = wrappers[name] as Wrapper;
  const options = readOptions(wrapper, words.slice(1));
  if (options === undefined) return anythingIn(words);
  const { found, rest } = options;
  if ([...(wrapper.shows ?? '')].some((letter) => found.has(letter))) return nothing;
  const before = rest.slice(0, wrapper.operands ?? 0);
  const command = rest.slice(before.length);
  const settings = wrapper.sets === true ? command.findIndex(({ value }) => !/^\w+=/.test(value)) : 0;
  const inner = settings < 0 ? [] : command.slice(settings);
  if ([...before, ...command.slice(0, settings)].some(({ isLiteral }) => !isLiteral))
    return anythingIn(words);
  if (inner.length === 0) return { ...nothing, areAll: settings === 0 };
  const commands = [wrapper.mark === undefined ? inner : completed(inner, found.get(wrapper.mark))];
  return { commands, scripts: [], areAll: settings === 0 };
}

/** Undefined when an option is not known, so that nobody can say where the other command begins. */
function readOptions({ letters, names = [] }: Wrapper, words: readonly ShellWord[]) {
  const found = new Map<string, string>();
  let index = 0;
  for (let word = words[0]; word !== undefined; word = words[index]) {
    const { value, isLiteral } = word;
    if (!isLiteral) return undefined;
    if (value === '--') return { found, rest: words.slice(index + 1) };
    if (!/^-./.test(value)) break;
    index++;
    if (value.startsWith('--')) {
      const [name = ''] = value.slice(2).split('=');
      if (names.includes(`${name}=`)) index += value.includes('=') ? 0 : 1;
      else if (!names.includes(name) || value.includes('=')) return undefined;
      continue;
    }
    for (const [place, letter] of [...value].entries()) {
      if (place === 0) continue;
      const known = letters.indexOf(letter);
      if (known < 0 || letter === ':') return undefined;
      found.set(letter, '');
      if (letters[known + 1] !== ':') continue;
      const joined = value.slice(place + 1);
      const taken = joined === '' ? words[index++] : undefined;
      if (taken?.isLiteral === false) return undefined;
      found.set(letter, taken?.value ?? joined);
      break;
    }
  }
  return { found, rest: words.slice(index) };
}

/** With what the program reads put for a mark, or at the end. */
function completed(words: readonly ShellWord[], mark: string | undefined): readonly ShellWord[] {
  if (mark !== undefined && mark !== '') return words.map((word) => fillIn(word, mark));
  return [...words, { text: '$@', value: '$@', isLiteral: false }];
}
