import type { Searchable } from '../../src/skills/rank/fields.ts';
import { wordsOf } from '../../src/skills/rank/words.ts';
import { probedSkills } from './ranked-skills.ts';

const longest = 1024;
const texts = probedSkills.flatMap(({ name, description, probe }) => [name, description, probe]);
const vocabulary = [...new Set(texts.flatMap((text) => wordsOf(text.toLowerCase())))];

type Roll = () => number;

/** A way to fill a description with the words of others, so that it is found by everything. */
export interface Stuffing {
  readonly what: string;
  /** Whether words are said again and again. */
  readonly repeats: boolean;
  write(roll: Roll): string;
}

/** From the bluntest to the best disguised. */
export const stuffings: readonly Stuffing[] = [
  { what: 'a few words over and over', repeats: true, write: repeated },
  { what: 'phrases of another skill over and over', repeats: true, write: phrases },
  { what: 'every word once', repeats: false, write: eachOnce },
];

/** Skills whose descriptions are stuffed to the last letter; the same in every run. */
export function stuffedSkills(count: number, { write }: Stuffing): readonly Searchable[] {
  const roll = dice(17);
  return Array.from({ length: count }, (_, index) => ({
    name: `helper-${index}`,
    description: write(roll),
    body: '',
  }));
}

function eachOnce(roll: Roll): string {
  const left = [...vocabulary];
  return fill(() => left.splice(Math.floor(roll() * left.length), 1)[0] ?? '');
}

function repeated(roll: Roll): string {
  const chosen = Array.from({ length: 8 }, () => pick(vocabulary, roll));
  return fill(() => pick(chosen, roll));
}

function phrases(roll: Roll): string {
  const words = wordsOf(pick(probedSkills, roll).description);
  return fill(() => {
    const start = Math.floor(roll() * words.length);
    return words.slice(start, start + 4).join(' ');
  });
}

/** As many pieces as a description may have characters. */
function fill(next: () => string): string {
  let text = '';
  while (text.length < longest) text += `${next()} `;
  return text.slice(0, longest).replace(/ \S*$/, '');
}

function pick<Item>(items: readonly Item[], roll: Roll): Item {
  const item = items[Math.floor(roll() * items.length)];
  if (item === undefined) throw new Error('There is nothing to pick from.');
  return item;
}

/** Numbers from 0 to 1 that only look random. */
function dice(seed: number): Roll {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
