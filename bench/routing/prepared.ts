import { join } from 'node:path';
import { openMiniLm } from '../../src/models/embedder.ts';
import { SkillVectors } from '../../src/skills/rank/embeddings.ts';
import { Ranker } from '../../src/skills/rank/ranker.ts';
import { VectorCache } from '../../src/skills/rank/vector-cache.ts';
import type { Collection } from './collection.ts';

/**
 * A collection that the product's ranker has indexed, with the vectors of its prompts if the ranking uses
 * embeddings.
 */
export interface Prepared {
  readonly collection: Collection;
  readonly ranker: Ranker;
  /** Empty if the ranking uses words only. */
  readonly vectors: ReadonlyMap<string, Int8Array>;
  /** Creates an index of vectors for other skills in the same collection. Known vectors are cached. */
  readonly known: (() => SkillVectors) | undefined;
  /** The time for indexing in milliseconds, excluding vectors. */
  readonly indexTime: number;
}

/** Indexes a collection for ranking by words only. */
export function prepareWords(collection: Collection): Prepared {
  const ranker = new Ranker();
  const indexTime = fill(ranker, collection);
  return { collection, ranker, vectors: new Map(), indexTime, known: undefined };
}

/**
 * Indexes a collection with the vectors of its skills and prompts, which are cached in a folder. Returns
 * undefined if the embedder is not installed.
 */
export async function prepareMeaning(collection: Collection, folder: string): Promise<Prepared | undefined> {
  const embedder = openMiniLm();
  if (embedder === undefined) return undefined;
  const cache = new VectorCache(join(folder, 'skills.bin'), embedder.dimensions, embedder.name);
  const prompts = new VectorCache(join(folder, 'prompts.bin'), embedder.dimensions, embedder.name);
  const meanings = new SkillVectors(embedder, cache);
  const ranker = new Ranker(meanings);
  const indexTime = fill(ranker, collection);
  const telling = setInterval(() => process.stderr.write(`\r${meanings.missing} texts to encode   `), 1_000);
  await meanings.learn();
  cache.flush();
  const vectors = new Map<string, Int8Array>();
  for (const { query } of [...collection.queries, ...collection.abstain]) {
    const vector = prompts.get(query) ?? (await meanings.read(query));
    prompts.add(query, vector);
    vectors.set(query, vector);
    if (vectors.size % 500 === 0) prompts.flush();
  }
  clearInterval(telling);
  prompts.flush();
  return { collection, ranker, vectors, indexTime, known: () => new SkillVectors(embedder, cache) };
}

/**
 * Prepares another collection that consists of some or all of the same skills and prompts. Reuses the known
 * vectors.
 */
export function prepareAgain(collection: Collection, { vectors, known }: Prepared): Prepared {
  const ranker = new Ranker(known?.());
  const indexTime = fill(ranker, collection);
  return { collection, ranker, vectors, indexTime, known };
}

function fill(ranker: Ranker, { skills }: Collection): number {
  const start = performance.now();
  for (const skill of skills) ranker.add(skill.id, skill);
  return performance.now() - start;
}
