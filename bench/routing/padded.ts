import { join } from 'node:path';
import { openMiniLm } from '../../src/models/embedder.ts';
import { SkillVectors } from '../../src/skills/rank/embeddings.ts';
import { Ranker } from '../../src/skills/rank/ranker.ts';
import { VectorCache } from '../../src/skills/rank/vector-cache.ts';
import type { CollectedSkill, Collection } from './collection.ts';
import { hitAt, quantile, type Rank } from './metrics.ts';

/**
 * Meaning in a large collection, for a sample of prompts. Times are processor time in milliseconds, including the
 * encoder's thread, so that other work on the machine does not change them.
 */
export interface Padded {
  readonly skills: number;
  readonly prompts: number;
  readonly words: { readonly hit1: number; readonly hit5: number };
  readonly meaning: { readonly hit1: number; readonly hit5: number };
  /** The time per decision by words. */
  readonly byWords: Times;
  /** The time per decision when vectors of skills are missing, including all encoding. */
  readonly cold: Times;
  /** The time per decision when only the prompt must be encoded. */
  readonly warm: Times;
}

interface Times {
  readonly p50: number;
  readonly p95: number;
}

/** How to measure a padded collection. */
interface Padding {
  readonly skills: number;
  readonly prompts: number;
  /** The number of skills that are ranked by meaning, as in the product. */
  readonly depth: number;
  readonly vectors: string;
}

/**
 * Pads a collection to a number of skills. The padding copies skills that no prompt asks for, and exchanges two
 * fifths of their words with words from other such skills. Returns undefined if the embedder is not installed.
 */
export async function padded(collection: Collection, how: Padding): Promise<Padded | undefined> {
  const embedder = openMiniLm();
  if (embedder === undefined) return undefined;
  const cache = new VectorCache(join(how.vectors, 'skills.bin'), embedder.dimensions, embedder.name);
  const meanings = new SkillVectors(embedder, cache);
  const ranker = new Ranker(meanings);
  const signal = new AbortController().signal;
  const all = [...collection.skills, ...paddingFor(collection, how.skills - collection.skills.length)];
  for (const skill of all) ranker.add(skill.id, skill);
  ranker.rank('anything');
  const step = collection.queries.length / how.prompts;
  const ranks = { words: [] as Rank[], meaning: [] as Rank[] };
  const times = { words: [] as number[], cold: [] as number[], warm: [] as number[] };
  for (let index = 0; index < how.prompts; index++) {
    const { query = '', relevant = [] } = collection.queries[Math.floor(index * step)] ?? {};
    const rankOf = (keys: readonly { readonly key: string }[]): Rank => {
      const found = keys.findIndex(({ key }) => relevant.includes(key));
      return found < 0 ? undefined : found;
    };
    const start = processorTime();
    const plain = ranker.rank(query);
    times.words.push(processorTime() - start);
    await meanings.learnFirst(ranker.bestByWords(query, how.depth, undefined), signal);
    const both = ranker.rank(query, { vector: await meanings.read(query) });
    times.cold.push(processorTime() - start);
    const again = processorTime();
    await meanings.learnFirst(ranker.bestByWords(query, how.depth, undefined), signal);
    ranker.rank(query, { vector: await meanings.read(query) });
    times.warm.push(processorTime() - again);
    ranks.words.push(rankOf(plain.ranked));
    ranks.meaning.push(rankOf(both.ranked));
  }
  await embedder.close();
  const timesOf = (values: readonly number[]): Times => ({
    p50: quantile(values, 0.5),
    p95: quantile(values, 0.95),
  });
  const hits = (values: readonly Rank[]): Padded['words'] => ({
    hit1: hitAt(values, 1),
    hit5: hitAt(values, 5),
  });
  return {
    skills: all.length,
    prompts: how.prompts,
    words: hits(ranks.words),
    meaning: hits(ranks.meaning),
    byWords: timesOf(times.words),
    cold: timesOf(times.cold),
    warm: timesOf(times.warm),
  };
}

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const exchanged = 0.4;
const longestBody = 600;

function paddingFor({ skills, queries }: Collection, count: number): readonly CollectedSkill[] {
  const asked = new Set(queries.flatMap(({ relevant }) => relevant));
  const others = skills.filter(({ id }) => !asked.has(id));
  const words = others.flatMap(({ description }) => description.match(/[\p{L}\p{N}]+/gu) ?? []);
  let state = 5;
  const dice = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const exchange = (text: string): string =>
    text.replace(/[\p{L}\p{N}]+/gu, (word) =>
      dice(1_000) < 1_000 * exchanged ? (words[dice(words.length)] ?? word) : word,
    );
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const base = others[index % others.length];
    return {
      id: `padding-${index}`,
      name: exchange(base?.name ?? ''),
      description: exchange(base?.description ?? ''),
      body: exchange((base?.body ?? '').slice(0, longestBody)),
    };
  });
}
