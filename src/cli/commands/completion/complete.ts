import { isAgentError } from '../../../core/index.ts';
import { commonHelp, cutTo, oneLine, type CommandEntry } from '../../command-kit.ts';
import {
  createMeanings,
  type ShellCompletion,
  type ArgumentChoices,
  type CompletionWord,
} from './candidates.ts';
import { readTyped, type TypedLine } from './parse-line.ts';

const widest = 80; // columns of a meaning

/** Completes the last of the words behind `skilled`. It only looks, and offers nothing that a shell takes for more than a word. */
export async function completeWords(
  words: readonly string[],
  commands: readonly CommandEntry[],
  cwd: string,
): Promise<ShellCompletion> {
  const typed = words.map(plain);
  const current = typed.at(-1) ?? '';
  const before = typed.slice(0, -1).filter((word) => word !== '');
  try {
    const { kind, offers } = await offersAt(await readTyped(before, current, { commands, cwd }));
    const fitting = offers.filter(({ word }) => word.startsWith(current) && isHarmless(word));
    return {
      kind,
      offers: fitting.map(({ word, about }) => ({ word, about: cutTo(oneLine(about), widest) })),
    };
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return { kind: 'words', offers: [] }; // a half-typed line is often wrong, and the shell shows no errors
  }
}

/** What a shell would take out of quotes and behind backslashes. */
function plain(word: string): string {
  return word.replace(/\\(.)|["']/g, '$1');
}

/** A shell passes it on as it is. */
function isHarmless(word: string): boolean {
  return /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(word);
}

/** What can stand at the end of a command line, by what the usage of its command says. */
async function offersAt(typed: TypedLine): Promise<ShellCompletion> {
  const { name, command, openFlag, mayBeFlag, current } = typed;
  if (name === 'help') return words(commandOffers(typed));
  if (name !== undefined && command === undefined) return words([]);
  const help = `${command?.usage ?? ''}\n${commonHelp}`;
  const meanings = createMeanings(typed);
  if (openFlag !== undefined) return valueOffers(openFlag, help, meanings);
  if (mayBeFlag && current.startsWith('-')) return words(flagOffers(typed, help));
  if (command === undefined || name === undefined) return words(commandOffers(typed));
  const slots = usageForms(command.usage, name).flatMap((form) => slotAt(form, typed.words));
  return joined(await Promise.all(slots.map((slot) => slotOffers(slot, current, meanings))));
}

function words(offers: readonly CompletionWord[]): ShellCompletion {
  return { kind: 'words', offers };
}

function commandOffers({ commands }: TypedLine): readonly CompletionWord[] {
  const all = commands.map(({ name, summary }) => ({ word: name, about: summary }));
  return [...all, { word: 'help', about: 'Show help for a command' }];
}

function flagOffers({ options }: TypedLine, help: string): readonly CompletionWord[] {
  return Object.keys(options).flatMap((flag) => {
    const offer = { word: `--${flag}`, about: flagMeaning(help, flag) };
    const negative = { word: `--no-${flag}`, about: flagMeaning(help, `no-${flag}`) };
    return help.includes(`--no-${flag}`) ? [offer, negative] : [offer];
  });
}

async function valueOffers(
  { flag, isInline }: NonNullable<TypedLine['openFlag']>,
  help: string,
  meanings: ArgumentChoices,
): Promise<ShellCompletion> {
  const { kind, offers } = await meanings(valueName(help, flag) ?? '');
  const start = isInline ? `--${flag}=` : '';
  return { kind, offers: offers.map(({ word, about }) => ({ word: `${start}${word}`, about })) };
}

/** The place in a form at which the next word stands, if the words before it fit. */
function slotAt(form: readonly Slot[], before: readonly string[]): readonly Slot[] {
  const last = form.at(-1);
  const at = (index: number): Slot | undefined => form[index] ?? (last?.repeats === true ? last : undefined);
  const fits = before.every((word, index) => {
    const slot = at(index);
    return slot !== undefined && (slot.words.length === 0 || slot.words.includes(word));
  });
  const slot = at(before.length);
  return fits && slot !== undefined ? [slot] : [];
}

async function slotOffers(slot: Slot, current: string, meanings: ArgumentChoices): Promise<ShellCompletion> {
  const fixed = slot.words.map((word) => ({ word, about: '' }));
  const named = joined(await Promise.all(slot.names.map(meanings)));
  const mark = slot.mark === '/' && current.startsWith('@') ? '@' : slot.mark; // both name a skill
  const marked = named.offers.map(({ word, about }) => ({ word: `${mark}${word}`, about }));
  return { kind: named.kind, offers: [...fixed, ...marked] };
}

/** Words go before paths: a shell shows one or the other. */
function joined(completions: readonly ShellCompletion[]): ShellCompletion {
  const all = completions.flatMap((completion) => completion.offers);
  const offers = [...new Map(all.map((offer) => [offer.word, offer])).values()];
  const paths = completions.find(({ kind }) => kind !== 'words');
  return { kind: offers.length > 0 ? 'words' : (paths?.kind ?? 'words'), offers };
}

/** What may stand at one place behind a command: fixed words, or what a name in brackets stands for. */
interface Slot {
  readonly words: readonly string[];
  readonly names: readonly string[];
  /** A mark before the name, as the slash before a skill. */
  readonly mark: string;
  readonly repeats: boolean;
}

/** One line of a usage: its places in order, without flags. */
type Form = readonly Slot[];

/** The forms that the usage of a command tells of: the lines of its first paragraph that begin with the command. */
function usageForms(usage: string, command: string): readonly Form[] {
  const [paragraph = ''] = usage.split('\n\n', 1);
  return paragraph.split('\n').flatMap((line) => {
    const [program, name, ...tokens] = tokensOf(line.replace(/^Usage:/, '').trim());
    return program === 'skilled' && name === command ? [formOf(tokens)] : [];
  });
}

/** What stands behind a flag in a help: the name in brackets, as `dir` in `--cwd <dir>`. */
function valueName(help: string, flag: string): string | undefined {
  return new RegExp(`--${flag} <([^>]+)>`).exec(help)?.[1];
}

/** What a help says of a flag, on its first line. */
function flagMeaning(help: string, flag: string): string {
  const line = new RegExp(`^ +(?:-\\w, )?--${flag}(?: <[^>]+>)?(?: +|\\n +)(\\S.*)$`, 'm').exec(help);
  return line?.[1] ?? new RegExp(`--${flag}: ([^;\\n]+)`).exec(help)?.[1] ?? '';
}

/** Blanks inside brackets and quotes separate nothing. */
function tokensOf(line: string): readonly string[] {
  return line.match(/(?:\[(?:[^[\]]|\[[^\]]*\])*\]|<[^>]*>|"[^"]*"|[^\s[<"])+/g) ?? [];
}

function formOf(tokens: readonly string[]): Form {
  return tokens.flatMap((token, index) => {
    const isFlag = /^\[?-/.test(token);
    const isValue = /^--?[\w-]+$/.test(tokens[index - 1] ?? '');
    const isNothing = /^(?:\||\[\.+\]|\[flags\])$/.test(token);
    return isFlag || isValue || isNothing ? [] : [slotOf(token)];
  });
}

function slotOf(token: string): Slot {
  const repeats = token.includes('...');
  const bare = token.replaceAll('...', '');
  const [, mark = '', inner] = /^([^[<"]?)[[<](.*)[\]>]$/.exec(bare) ?? [];
  if (inner !== undefined) return { words: [], names: inner.split(/\s*\|\s*/).map(nameOf), mark, repeats };
  const words = bare.startsWith('"') ? [] : bare.split('|');
  return { words, names: [], mark: '', repeats };
}

function nameOf(part: string): string {
  return part.replace(/^[[<]|[\]>]$/g, '');
}
