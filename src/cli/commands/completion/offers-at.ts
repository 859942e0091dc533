import { commonHelp } from '../../common-help.ts';
import { createMeanings, type Meanings } from './meanings.ts';
import type { Completion, Offer } from './offer.ts';
import type { Typed } from './read-typed.ts';
import { flagMeaning, usageForms, valueName, type Slot } from './usage-forms.ts';

/** What can stand at the end of a command line, by what the usage of its command says. */
export async function offersAt(typed: Typed): Promise<Completion> {
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

function words(offers: readonly Offer[]): Completion {
  return { kind: 'words', offers };
}

function commandOffers({ commands }: Typed): readonly Offer[] {
  const all = commands.map(({ name, summary }) => ({ word: name, about: summary }));
  return [...all, { word: 'help', about: 'Show help for a command' }];
}

function flagOffers({ options }: Typed, help: string): readonly Offer[] {
  return Object.keys(options).flatMap((flag) => {
    const offer = { word: `--${flag}`, about: flagMeaning(help, flag) };
    const negative = { word: `--no-${flag}`, about: flagMeaning(help, `no-${flag}`) };
    return help.includes(`--no-${flag}`) ? [offer, negative] : [offer];
  });
}

async function valueOffers(
  { flag, isInline }: NonNullable<Typed['openFlag']>,
  help: string,
  meanings: Meanings,
): Promise<Completion> {
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

async function slotOffers(slot: Slot, current: string, meanings: Meanings): Promise<Completion> {
  const fixed = slot.words.map((word) => ({ word, about: '' }));
  const named = joined(await Promise.all(slot.names.map(meanings)));
  const mark = slot.mark === '/' && current.startsWith('@') ? '@' : slot.mark; // both name a skill
  const marked = named.offers.map(({ word, about }) => ({ word: `${mark}${word}`, about }));
  return { kind: named.kind, offers: [...fixed, ...marked] };
}

/** Words go before paths: a shell shows one or the other. */
function joined(completions: readonly Completion[]): Completion {
  const all = completions.flatMap((completion) => completion.offers);
  const offers = [...new Map(all.map((offer) => [offer.word, offer])).values()];
  const paths = completions.find(({ kind }) => kind !== 'words');
  return { kind: offers.length > 0 ? 'words' : (paths?.kind ?? 'words'), offers };
}
