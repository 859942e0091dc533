import { attack, type AttackResult } from './attack.ts';
import type { Collection } from './collection.ts';
import { deferral, type Deferral } from './deferral.ts';
import { answersOf, figuresOf } from './evaluate.ts';
import { everyday, type Everyday } from './everyday.ts';
import { mean } from './metrics.ts';
import { padded, type Padded } from './padded.ts';
import { prepareAgain, type Prepared } from './prepared.ts';
import { smallCollections } from './small.ts';

/** The measurements of `--full`, which take about an hour. */
export interface Full {
  readonly small: Small | undefined;
  readonly attacks: { readonly words: readonly AttackResult[]; readonly meaning: readonly AttackResult[] };
  readonly padded: readonly (Padded | undefined)[];
  readonly everyday: { readonly words: Everyday; readonly meaning: Everyday };
  readonly deferral: { readonly words: Deferral; readonly meaning: Deferral | undefined };
}

/** R7: the mean hit@1 of small collections. */
interface Small {
  readonly collections: number;
  readonly words: number;
  readonly meaning: number;
  /** The largest loss of a collection by adding meaning, and the number of collections that lose. */
  readonly worst: number;
  readonly lower: number;
}

const foes = { skills: 500, prompts: 60, maxTokens: 2_000 };

/** Measures small, attacked and padded collections, everyday prompts, and routing with an oracle. */
export async function full(
  collection: Collection,
  words: Prepared,
  meaning: Prepared | undefined,
  vectors: string,
): Promise<Full> {
  return {
    small: meaning === undefined ? undefined : small(collection, words, meaning),
    attacks: {
      words: await attack(words, { ...foes, different: foes.skills }),
      meaning: meaning === undefined ? [] : await attack(meaning, { ...foes, different: 3 }),
    },
    padded: [
      await padded(collection, { skills: 20_000, prompts: 60, depth: 20, vectors }),
      await padded(collection, { skills: 60_000, prompts: 50, depth: 20, vectors }),
    ],
    everyday: { words: await everyday(false), meaning: await everyday(true) },
    deferral: { words: deferral(words), meaning: meaning === undefined ? undefined : deferral(meaning) },
  };
}

function small(collection: Collection, words: Prepared, meaning: Prepared): Small {
  const hits = smallCollections(collection, { times: 8, seed: 4 }).map((each) =>
    [words, meaning].map((prepared) => figuresOf(answersOf(prepareAgain(each, prepared))).hit1),
  );
  const gains = hits.map(([before = 0, after = 0]) => after - before);
  return {
    collections: hits.length,
    words: mean(hits.map(([before = 0]) => before)),
    meaning: mean(hits.map(([, after = 0]) => after)),
    worst: Math.min(...gains),
    lower: gains.filter((gain) => gain < 0).length,
  };
}

/** Returns the measurements as lines of text. */
export function linesOf({
  small: few,
  attacks,
  padded: sizes,
  everyday: daily,
  deferral: oracle,
}: Full): string {
  const lines: string[] = [];
  if (few !== undefined)
    lines.push(
      `${few.collections} collections of 8 to 30 skills: hit@1 by words ${part(few.words)}, with meaning ${part(few.meaning)}, worst ${part(few.worst)}, lower in ${few.lower}`,
    );
  for (const [by, results] of Object.entries(attacks))
    for (const { attacker, topFive, catalog, taken } of results)
      lines.push(
        `attack, ${by}: ${attacker}: top five ${part(topFive)}, catalog ${part(catalog)}, places taken ${taken.toFixed(2)}`,
      );
  for (const size of sizes) {
    if (size === undefined) continue;
    const { skills, prompts, words, meaning, byWords, cold, warm } = size;
    lines.push(
      `${skills} skills, ${prompts} prompts: hit@1 and hit@5 by words ${part(words.hit1)}, ${part(words.hit5)}, with meaning ${part(meaning.hit1)}, ${part(meaning.hit5)}; ` +
        `p50 of processor time by words ${byWords.p50.toFixed(0)} ms, warm ${warm.p50.toFixed(0)} ms, cold ${cold.p50.toFixed(0)} ms`,
    );
  }
  for (const [by, { right, prompts, missed, wrong }] of Object.entries(daily))
    lines.push(
      `everyday, ${by}: ${right} of ${prompts} right; missed: ${missed.join('; ')}; wrong: ${wrong.join('; ')}`,
    );
  for (const [by, found] of Object.entries(oracle)) {
    if (found === undefined) continue;
    const { alone, aloneRight, among, right } = found;
    lines.push(
      `with an oracle, ${by}: alone ${part(alone)}, right ${part(aloneRight)}; among the candidates for a model ${part(among)}; right in the end ${part(right)}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function part(value: number): string {
  return value.toFixed(3);
}
