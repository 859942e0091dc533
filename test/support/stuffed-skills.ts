import type { Searchable } from '../../src/skills/rank/fields.ts';
import { wordsOf } from '../../src/skills/rank/words.ts';
import { probedSkills } from './ranked-skills.ts';

const longest = 1024;
const texts = probedSkills.flatMap(({ name, description, probe }) => [name, description, probe]);
const vocabulary = [...new Set(texts.flatMap((text) => wordsOf(text.toLowerCase())))];

type Roll = () => number;

/** A way to fill a description with other skills' words, so that it matches every query. */
export interface Stuffing {
  readonly what: string;
  /** Whether the description repeats words. */
  readonly repeats: boolean;
  write(roll: Roll): string;
}

/** From the most obvious to the best disguised. */
export const stuffings: readonly Stuffing[] = [
  { what: 'a few words over and over', repeats: true, write: repeated },
  { what: 'phrases of another skill over and over', repeats: true, write: phrases },
  { what: 'every word once', repeats: false, write: eachOnce },
];

/** Returns skills whose descriptions are filled to the maximum length. The result is always the same. */
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

/** Joins words up to the maximum length of a description. */
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

/** Returns a generator of pseudorandom numbers from 0 to 1. */
function dice(seed: number): Roll {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
