import type { Embedder } from '../../src/core/model/sources.ts';
import { SkillVectors } from '../../src/skills/rank/embeddings.ts';
import { quantise } from '../../src/skills/rank/vectors.ts';
import { Ranker } from '../../src/skills/rank/ranker.ts';
import { VectorCache } from '../../src/skills/rank/vector-cache.ts';
import { settledMemory } from '../settled-memory.ts';
import type { CollectedSkill, Collection } from './collection.ts';
import { quantile } from './metrics.ts';

/**
 * The measurements for a single decision among many skills. Times of decisions are processor time in milliseconds, so
 * that other work on the machine does not change them. Memory is in kilobytes per skill.
 */
export interface Scale {
  readonly skills: number;
  readonly indexTime: number;
  readonly words: { readonly p50: number; readonly p95: number };
  readonly meaning: { readonly p50: number; readonly p95: number };
  readonly memory: number;
  readonly vectorMemory: number;
}

/**
 * R6: ranks `count` skills, which are mixtures of the collection's skills, for the prompts of the collection.
 */
export async function scale(collection: Collection, count: number): Promise<Scale> {
  const skills = Array.from({ length: count }, (_, index) => mixed(collection, index));
  const prompts = [...collection.queries, ...collection.abstain].map(({ query }) => query);
  filled(new Ranker(), skills); // caches words and compiles all code first
  const before = await held();
  const ranker = new Ranker();
  const start = performance.now();
  filled(ranker, skills);
  const indexTime = performance.now() - start;
  const memory = ((await held()) - before) / count;
  const words = timesOf(prompts, (prompt) => ranker.rank(prompt));
  const embedder = createRandomEmbedder();
  const meanings = new SkillVectors(embedder, new VectorCache(undefined, embedder.dimensions, embedder.name));
  const middle = await held();
  const full = filled(new Ranker(meanings), skills);
  await meanings.learn();
  const vectorMemory = ((await held()) - middle) / count - memory;
  const [vector] = await embedder.embed(['a prompt']);
  const query = quantise(vector ?? new Float32Array());
  const meaning = timesOf(prompts, (prompt) => full.rank(prompt, { vector: query }));
  return {
    skills: count,
    indexTime,
    words,
    meaning,
    memory: memory / 1024,
    vectorMemory: vectorMemory / 1024,
  };
}

function timesOf(
  prompts: readonly string[],
  rank: (prompt: string) => unknown,
): { p50: number; p95: number } {
  const times = prompts.map((prompt) => {
    const start = process.cpuUsage();
    rank(prompt);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  });
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
}

function mixed({ skills }: Collection, index: number): CollectedSkill {
  const [one, other] = [skills[index % skills.length], skills[(index * 7 + 3) % skills.length]];
  if (one === undefined || other === undefined) throw new Error('The collection has no skills.');
  if (index < skills.length) return one;
  return {
    id: `${one.id}-${index}`,
    name: `${one.name}-${other.name}`,
    description: `${one.description} ${other.description}`.slice(0, 1_024),
    body: `${one.body.slice(0, 2_000)}\n${other.body.slice(0, 2_000)}`,
  };
}

/**
 * Creates an embedder that returns random vectors. They suffice, because the time of a comparison does not
 * depend on their content.
 */
function createRandomEmbedder(): Embedder {
  let state = 1;
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648 - 0.5;
  };
  return {
    name: 'made-up',
    dimensions: 384,
    embed: (texts) => Promise.resolve(texts.map(() => Float32Array.from({ length: 384 }, next))),
    close: () => Promise.resolve(),
  };
}

function filled(ranker: Ranker, skills: readonly CollectedSkill[]): Ranker {
  for (const [index, skill] of skills.entries()) ranker.add(`${index}`, skill);
  ranker.rank('anything');
  return ranker;
}

async function held(): Promise<number> {
  const { heapUsed, arrayBuffers } = await settledMemory();
  return heapUsed + arrayBuffers;
}
