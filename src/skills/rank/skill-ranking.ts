import { AgentError, reasonOf, type Embedder, type Issue, type Skill } from '../../core/index.ts';
import { offeredSkills, type OfferOptions } from '../catalog/entries.ts';
import type { SkillLimits } from '../limits.ts';
import { SkillVectors } from './embeddings.ts';
import { SkillIndex, type IndexedSkills, type IndexFile } from './skill-index.ts';
import { VectorCache, vectorFileOf } from './vector-cache.ts';
import type { SkillRecord } from '../registry/record.ts';

/** Options for ranking skills. */
export interface RankQuery extends OfferOptions {
  /** The maximum number of candidates. Defaults to 10. */
  readonly limit?: number | undefined;
  readonly family?: string | undefined;
  /**
   * The skills to rank, which can include the package's own tools. The names of candidates are cached for
   * each array.
   */
  readonly among?: readonly Skill[] | undefined;
  /** Whether to start computing missing embeddings in the background. Defaults to true. */
  readonly learn?: boolean | undefined;
}

/** A candidate skill. */
export interface Candidate {
  /** The name under which the skill can be called. */
  readonly name: string;
  /** The confidence that this skill applies, from 0 to 1. */
  readonly score: number;
  /** The words shared with the prompt, most informative first. */
  readonly why: readonly string[];
}

/** The candidates for a prompt, best first. */
export interface Ranking {
  readonly candidates: readonly Candidate[];
  /** Whether no skill applies, because the best score is below the threshold. */
  readonly abstain: boolean;
  readonly threshold: number;
  /** Whether skills were ranked by words alone, or also by meaning. */
  readonly by: 'words' | 'meaning';
}

/** Options for computing embeddings. */
export interface LearnOptions {
  /** The maximum number of embeddings to compute. If more are missing, none are computed. */
  readonly most?: number;
  /** Called at intervals with the number of embeddings that are still missing. */
  readonly onProgress?: (missing: number) => void;
}

/** Options for creating a ranking. */
interface RankingOptions {
  readonly limits: SkillLimits;
  /** Opens the embedder on first use. Returns undefined if there is none. */
  readonly openEmbedder?: (() => Embedder | undefined) | undefined;
  /**
   * The folder in which vectors are saved for the next start. Without it, vectors are only stored in memory.
   */
  readonly cacheFolder?: string | undefined;
  /** Returns where the index is stored for the next start. Without it, the index is only stored in memory. */
  readonly indexFile?: (() => IndexFile | undefined) | undefined;
}

const maxFailures = 2;

/**
 * The ranking of an agent's skills. It indexes only skills that have changed, and computes embeddings in the
 * background.
 */
export class SkillRanking {
  readonly #options: RankingOptions;
  readonly #index: SkillIndex;
  #embedder: Embedder | undefined;
  // All rankers share the cache, so a new ranker starts with the vectors that are already known.
  #cache: VectorCache | undefined;
  #following: Promise<IndexedSkills> | undefined;
  #failure: Issue | undefined;
  #failures = 0;
  #saveIssue: Issue | undefined;
  readonly #closing = new AbortController();

  constructor(options: RankingOptions) {
    this.#options = options;
    const { limits, indexFile } = options;
    this.#index = new SkillIndex({ limits, indexFile, newMeanings: () => this.#newMeanings() });
  }

  /** Issues about ranking by meaning and about saving vectors. */
  get issues(): readonly Issue[] {
    return [this.#failure, this.#saveIssue, this.#index.issue].filter((issue) => issue !== undefined);
  }

  /** Whether ranking by meaning is disabled, because the ranking was closed or has failed repeatedly. */
  get #isOff(): boolean {
    return this.#closing.signal.aborted || this.#failures >= maxFailures;
  }

  /** Ranks skills for a prompt by words, and also by meaning if all skills have embeddings. */
  async rank(prompt: string, skills: readonly SkillRecord[], query: RankQuery = {}): Promise<Ranking> {
    checkLimit(query.limit);
    const { ranker: asked } = await this.#follow(skills);
    const read = await this.#read(prompt, asked.meanings, query.learn !== false);
    // The skills may have changed while the prompt was being embedded, so rank the current skills.
    const indexed = (await this.#following) ?? (await this.#follow(skills));
    const isSame = indexed.ranker === asked && asked.meanings?.isComplete === true;
    try {
      return rankIndexed(prompt, indexed, query, isSame ? read : undefined);
    } catch (thrown) {
      if (!this.#index.isFromFile) throw thrown;
      this.#following = this.#index.rebuild(skills); // A part of the file is damaged.
      return rankIndexed(prompt, await this.#following, query, undefined);
    }
  }

  /**
   * Computes the missing embeddings of skills. Resolves to the number of embeddings that are still missing,
   * or to 0 without an embedder.
   */
  async learn(skills: readonly SkillRecord[], options: LearnOptions = {}): Promise<number> {
    const { meanings } = (await this.#follow(skills)).ranker;
    const { most = Infinity, onProgress } = options;
    const missing = (): number => (this.#failures < maxFailures ? (meanings?.missing ?? 0) : 0);
    if (meanings === undefined || missing() === 0 || missing() > most) return missing();
    // The timer also keeps the process alive while embeddings are computed.
    const waiting = setInterval(() => onProgress?.(missing()), 200);
    try {
      await this.#learn(meanings);
    } finally {
      clearInterval(waiting);
    }
    return missing();
  }

  /** Stops computing vectors and saves the vectors that were already computed. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#save(this.#index.ranker?.meanings);
    this.#index.close();
    await this.#embedder?.close();
  }

  /** Indexes one list of skills at a time, so that two callers do not index the same skill twice. */
  #follow(skills: readonly SkillRecord[]): Promise<IndexedSkills> {
    const { current } = this.#index;
    if (current?.skills === skills) return Promise.resolve(current);
    const next = (): Promise<IndexedSkills> => this.#index.update(skills);
    this.#following = this.#following === undefined ? next() : this.#following.then(next, next);
    return this.#following;
  }

  #newMeanings(): SkillVectors | undefined {
    if (this.#isOff) return undefined;
    try {
      const embedder = (this.#embedder ??= this.#options.openEmbedder?.());
      if (embedder === undefined) return undefined;
      const { cacheFolder } = this.#options;
      const file = cacheFolder === undefined ? undefined : vectorFileOf(cacheFolder, embedder.name);
      this.#cache ??= new VectorCache(file, embedder.dimensions, embedder.name);
      return new SkillVectors(embedder, this.#cache);
    } catch (thrown) {
      this.#fail(thrown);
      return undefined;
    }
  }

  /**
   * Returns the vector of a prompt if all skills have embeddings. Otherwise, returns undefined and may start
   * computing the missing embeddings.
   */
  async #read(
    prompt: string,
    meanings: SkillVectors | undefined,
    mayLearn: boolean,
  ): Promise<Int8Array | undefined> {
    if (meanings === undefined || this.#isOff) return undefined;
    if (!meanings.isComplete) {
      if (mayLearn) void this.#learn(meanings);
      return undefined;
    }
    try {
      return await meanings.read(prompt);
    } catch (thrown) {
      this.#fail(thrown);
      return undefined;
    }
  }

  async #learn(meanings: SkillVectors): Promise<void> {
    try {
      await meanings.learn(this.#closing.signal);
      this.#save(meanings);
      this.#failure = undefined;
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #save(meanings: SkillVectors | undefined): void {
    if (meanings !== undefined) this.#saveIssue = meanings.save();
  }

  #fail(thrown: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#failures++;
    this.#failure = {
      level: 'info',
      code: 'rank.by-words',
      message: `Skills are ranked by keywords only: ${reasonOf(thrown)}.`,
    };
  }
}

function rankIndexed(
  prompt: string,
  indexed: IndexedSkills,
  query: RankQuery,
  vector: Int8Array | undefined,
): Ranking {
  const names = namesFor(query, indexed);
  const { limit } = query;
  const { ranked, sure, threshold } = indexed.ranker.rank(prompt, {
    vector,
    limit,
    among: (key) => names.has(key),
  });
  return {
    candidates: ranked.map(({ key, score, why }) => ({ name: names.get(key) ?? '', score, why })),
    abstain: sure < threshold,
    threshold,
    by: vector === undefined ? 'words' : 'meaning',
  };
}

function checkLimit(limit = 0): void {
  if (limit >= 0) return;
  throw new AgentError('usage.bad-input', `Invalid limit ${limit}: it must be 0 or greater.`, {
    hint: 'Use a number that is 0 or greater, or omit the limit to use 10.',
  });
}

/**
 * Returns the names of candidates. The result is cached, because listing ten thousand skills takes longer
 * than ranking them.
 */
function namesFor(
  { internals, family, among }: RankQuery,
  { skills, keys, names }: IndexedSkills,
): ReadonlyMap<string, string> {
  const asked = among ?? JSON.stringify([internals ?? false, family]);
  const known = names.get(asked);
  if (known !== undefined) return known;
  const allowed = among && new Set(among);
  const offered = offeredSkills(skills, { internals: internals ?? among !== undefined })
    .filter(({ skill }) => allowed?.has(skill) ?? (family === undefined || skill.family === family))
    .map(({ name, skill }) => [keys.get(skill) ?? '', name] as const);
  const found = new Map(offered);
  names.set(asked, found);
  return found;
}
