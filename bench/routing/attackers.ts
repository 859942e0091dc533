import { stemmer } from 'stemmer';
import type { CollectedSkill } from './collection.ts';

/** A way to write skills that take a prompt from the skill that it is meant for. */
export interface Attacker {
  readonly name: string;
  /** Writes one skill. `dice` returns a number below its argument. */
  write(target: Target, index: number, dice: Dice): Omit<CollectedSkill, 'id'>;
}

/** The prompt under attack, and the honest skills that rank best for it. */
interface Target {
  readonly prompt: string;
  readonly best: readonly CollectedSkill[];
  readonly skills: readonly CollectedSkill[];
}

type Dice = (below: number) => number;

/** R8: five attackers, each of whom copies the prompt in a different way. */
export const attackers: readonly Attacker[] = [
  {
    name: 'copies of the prompt',
    write: ({ prompt }, index) => ({ name: `helper-${index}`, description: prompt, body: '' }),
  },
  {
    name: 'its stems, in the body too',
    write({ prompt }, index, dice) {
      const stems = shuffled(wordsOf(prompt), dice).map((word) => stemmer(word.toLowerCase()));
      return { name: `tool-${index}`, description: stems.join(' '), body: stems.toReversed().join(' ') };
    },
  },
  {
    name: 'its synonyms, named after it',
    write({ prompt }, index, dice) {
      const words = wordsOf(prompt).map((word) => (dice(2) === 0 ? synonymOf(word, dice) : word));
      return { name: nameFrom(prompt, index, dice), description: words.join(' '), body: words.join(' ') };
    },
  },
  {
    name: "with other skills' sentences and bodies",
    write({ prompt, best, skills }, index, dice) {
      const own = Array.from({ length: 2 }, () => pick(sentencesOf(pick(best, dice).description), dice));
      const description = shuffled([prompt, ...own], dice).join(' ');
      return { name: `${pick(skills, dice).name}-${index}`, description, body: pick(skills, dice).body };
    },
  },
  {
    name: 'padded and shuffled, named after it',
    write({ prompt, skills }, index, dice) {
      const padding = Array.from({ length: 4 }, () =>
        pick(sentencesOf(pick(skills, dice).description), dice),
      );
      const words = shuffled([...wordsOf(prompt), ...wordsOf(padding.join(' ')).slice(0, 40)], dice);
      const name = nameFrom(prompt, index, dice);
      return { name, description: words.join(' '), body: shuffled(words, dice).join(' ') };
    },
  },
];

const synonyms = new Map(
  [
    'make create build produce generate',
    'fix repair correct solve resolve',
    'write compose draft author',
    'find locate search discover',
    'check verify inspect examine validate',
    'page screen site',
    'test trial check experiment',
    'customer client buyer user',
    'price cost fee charge',
    'email mail message newsletter',
    'code program source script',
    'error fault bug failure defect',
    'fast quick rapid speedy',
    'file document record',
    'data information records figures',
    'plan scheme strategy roadmap',
    'product item offering service',
    'company business firm startup',
    'improve enhance optimize better',
    'show display present reveal',
    'run execute launch start',
    'change modify alter edit',
    'analyze study review evaluate',
    'project undertaking work',
    'content copy material text',
    'image picture photo graphic',
    'function method routine procedure',
    'build compile assemble',
    'help assist support aid',
    'convert transform turn translate',
  ].flatMap((row) => {
    const words = row.split(' ');
    return words.map((word) => [word, words.filter((other) => other !== word)] as const);
  }),
);

/** Returns a synonym, or an invented word if the table has none, so that the word no longer matches. */
function synonymOf(word: string, dice: Dice): string {
  const known = synonyms.get(word.toLowerCase().replace(/s$/, ''));
  return known === undefined ? word : pick(known, dice);
}

function nameFrom(prompt: string, index: number, dice: Dice): string {
  const words = wordsOf(prompt).filter((word) => word.length > 3);
  return `${Array.from({ length: 3 }, () => pick(words, dice).toLowerCase()).join('-')}-${index}`;
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?])\s+/).filter((sentence) => sentence.length > 20);
}

function pick(items: readonly CollectedSkill[], dice: Dice): CollectedSkill;
function pick(items: readonly string[], dice: Dice): string;
function pick(items: readonly (string | CollectedSkill)[], dice: Dice): string | CollectedSkill {
  return items[dice(items.length)] ?? '';
}

function shuffled<Item>(items: readonly Item[], dice: Dice): readonly Item[] {
  const left = [...items];
  return items.map(() => left.splice(dice(left.length), 1)[0] as Item);
}
