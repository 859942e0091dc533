import { isAgentError } from '../../../core/index.ts';
import { commonHelp, cutTo, oneLine, type CommandEntry } from '../../command-kit.ts';
import {
  createMeanings,
  type ShellCompletion,
  type ArgumentChoices,
  type CompletionWord,
} from './candidates.ts';
import { readTyped, type TypedLine } from './parse-line.ts';

const widest = 80; // The maximum width of a description, in columns.

/**
 * Completes the last word of a `skilled` command line. Has no side effects. Offers only words that need no
 * quoting in a shell.
 */
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
    // Unfinished command lines are often invalid, and the shell cannot show errors, so offer nothing.
    return { kind: 'words', offers: [] };
  }
}

/** Removes the quotes and backslashes from a word, as a shell would. */
function plain(word: string): string {
  return word.replace(/\\(.)|["']/g, '$1');
}

/** Whether a word can be used in a shell without quotes. */
function isHarmless(word: string): boolean {
  return /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(word);
}

/** Returns the completions at the end of a command line, based on the command's usage text. */
async function offersAt(typed: TypedLine): Promise<ShellCompletion> {
  const { name, command, openFlag, mayBeFlag, current } = typed;
  if (name === 'help') return completeWith(commandOffers(typed));
  if (name !== undefined && command === undefined) return completeWith([]);
  const help = `${command?.usage ?? ''}\n${commonHelp}`;
  const meanings = createMeanings(typed);
  if (openFlag !== undefined) return valueOffers(openFlag, help, meanings);
  if (mayBeFlag && current.startsWith('-')) return completeWith(flagOffers(typed, help));
  if (command === undefined || name === undefined) return completeWith(commandOffers(typed));
  const slots = usageForms(command.usage, name).flatMap((form) => slotAt(form, typed.args));
  return joined(await Promise.all(slots.map((slot) => slotOffers(slot, current, meanings))));
}

function completeWith(offers: readonly CompletionWord[]): ShellCompletion {
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

/** Returns the next argument's position in a usage line, or nothing if an earlier argument does not match. */
function slotAt(form: readonly Slot[], before: readonly string[]): readonly Slot[] {
  const last = form.at(-1);
  const at = (index: number): Slot | undefined => form[index] ?? (last?.repeats === true ? last : undefined);
  const fits = before.every((word, index) => {
    const slot = at(index);
    return slot !== undefined && (slot.literals.length === 0 || slot.literals.includes(word));
  });
  const slot = at(before.length);
  return fits && slot !== undefined ? [slot] : [];
}

async function slotOffers(slot: Slot, current: string, meanings: ArgumentChoices): Promise<ShellCompletion> {
  const fixed = slot.literals.map((word) => ({ word, about: '' }));
  const named = joined(await Promise.all(slot.names.map(meanings)));
  // A skill's name can start with a slash or an at sign.
  const mark = slot.mark === '/' && current.startsWith('@') ? '@' : slot.mark;
  const marked = named.offers.map(({ word, about }) => ({ word: `${mark}${word}`, about }));
  return { kind: named.kind, offers: [...fixed, ...marked] };
}

/** Merges completions. Omits file paths if there are any words, because a shell can show only one kind. */
function joined(completions: readonly ShellCompletion[]): ShellCompletion {
  const all = completions.flatMap((completion) => completion.offers);
  const offers = [...new Map(all.map((offer) => [offer.word, offer])).values()];
  const paths = completions.find(({ kind }) => kind !== 'words');
  return { kind: offers.length > 0 ? 'words' : (paths?.kind ?? 'words'), offers };
}

/** An argument position in usage text: fixed words, or a bracketed placeholder for known values. */
interface Slot {
  readonly literals: readonly string[];
  readonly names: readonly string[];
  /** The character before the value, such as the slash before a skill's name. */
  readonly mark: string;
  readonly repeats: boolean;
}

/** The argument positions in one line of usage text, in order and without flags. */
type Form = readonly Slot[];

/** Returns the lines in the first paragraph of the usage text that start with the command. */
function usageForms(usage: string, command: string): readonly Form[] {
  const [paragraph = ''] = usage.split('\n\n', 1);
  return paragraph.split('\n').flatMap((line) => {
    const [program, name, ...tokens] = tokensOf(line.replace(/^Usage:/, '').trim());
    return program === 'skilled' && name === command ? [formOf(tokens)] : [];
  });
}

/** Returns the name of a flag's value in help text, such as `dir` in `--cwd <dir>`. */
function valueName(help: string, flag: string): string | undefined {
  return new RegExp(`--${flag} <([^>]+)>`).exec(help)?.[1];
}

/** Returns the first line of a flag's description in help text. */
function flagMeaning(help: string, flag: string): string {
  const line = new RegExp(`^ +(?:-\\w, )?--${flag}(?: <[^>]+>)?(?: +|\\n +)(\\S.*)$`, 'm').exec(help);
  return line?.[1] ?? new RegExp(`--${flag}: ([^;\\n]+)`).exec(help)?.[1] ?? '';
}

/** Splits a usage line into tokens at spaces that are not inside brackets or quotes. */
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
  if (inner !== undefined) return { literals: [], names: inner.split(/\s*\|\s*/).map(nameOf), mark, repeats };
  const literals = bare.startsWith('"') ? [] : bare.split('|');
  return { literals, names: [], mark: '', repeats };
}

function nameOf(part: string): string {
  return part.replace(/^[[<]|[\]>]$/g, '');
}
