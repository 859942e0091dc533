import { AgentError, reasonOf, type Embedder, type Issue } from '../../core/index.ts';
import type { SkillLimits } from '../limits.ts';
import type { SkillRecord } from '../registry/record.ts';
import { SkillVectors } from './embeddings.ts';
import { namesFor, type CandidateFilter, type Indexed } from './indexed-skills.ts';
import type { Ranker } from './ranker.ts';
import { SkillIndex, type IndexFile } from './skill-index.ts';
import { VectorCache, vectorFileOf } from './vector-cache.ts';

/** Options for ranking skills. */
export interface RankQuery extends CandidateFilter {
  /** The maximum number of candidates. Defaults to 10. */
  readonly limit?: number | undefined;
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
  /** The first candidate's lead over the second, or its score if there is no other. */
  readonly margin: number;
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
export interface RankingOptions {
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
const saveIntervalMs = 30_000;
// In a larger collection, embeddings are computed only for the skills that fit a prompt best by words.
const mostEmbedded = 2_000;
const depth = 20; // Computing the embeddings of this many skills takes two or three seconds, once.

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
  #following: Promise<Indexed> | undefined;
  #repair: Promise<Indexed> | undefined;
  #failure: Issue | undefined;
  #failures = 0;
  #saveIssue: Issue | undefined;
  #savedAt = 0;
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

  /**
   * Ranks skills for a prompt by words, and also by meaning if all skills have embeddings. In a large
   * collection, computes the embeddings of the skills that fit best by words, and ranks these by meaning.
   */
  async rank(prompt: string, skills: readonly SkillRecord[], query: RankQuery = {}): Promise<Ranking> {
    checkLimit(query.limit);
    try {
      return await this.#rank(prompt, skills, query);
    } catch (thrown) {
      if (!this.#index.isFromFile && this.#repair === undefined) throw thrown;
      await this.#rebuild(skills); // A part of the file is damaged.
      return this.#rank(prompt, skills, query);
    }
  }

  async #rank(prompt: string, skills: readonly SkillRecord[], query: RankQuery): Promise<Ranking> {
    const before = await this.#follow(skills);
    const vector = await this.#read(prompt, before, query);
    // The skills may have changed while the prompt was being embedded, so rank the current skills.
    const indexed = (await this.#following) ?? (await this.#follow(skills));
    const { ranker } = indexed;
    const isUsable = ranker === before.ranker && (ranker.meanings?.isComplete === true || isLarge(ranker));
    return rankIndexed(prompt, indexed, query, isUsable ? vector : undefined);
  }

  /**
   * Computes the missing embeddings of skills. Resolves to the number of embeddings that are still missing,
   * or to 0 without an embedder. In a large collection with `most`, computes none and resolves to 0, because
   * a ranking computes the embeddings that it needs.
   */
  async learn(skills: readonly SkillRecord[], options: LearnOptions = {}): Promise<number> {
    const { ranker } = await this.#follow(skills);
    const { meanings } = ranker;
    const { most = Infinity, onProgress } = options;
    if (most < Infinity && isLarge(ranker)) return 0;
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
  #follow(skills: readonly SkillRecord[]): Promise<Indexed> {
    const { current } = this.#index;
    if (current?.skills === skills) return Promise.resolve(current);
    const next = (): Promise<Indexed> => this.#index.update(skills);
    this.#following = this.#following === undefined ? next() : this.#following.then(next, next);
    return this.#following;
  }

  /** Indexes all skills from their files, once for all rankings that meet damage at the same time. */
  #rebuild(skills: readonly SkillRecord[]): Promise<Indexed> {
    const rebuild = (): Promise<Indexed> => this.#index.rebuild(skills);
    const before = this.#following ?? Promise.resolve();
    this.#repair ??= before.then(rebuild, rebuild).finally(() => (this.#repair = undefined));
    this.#following = this.#repair;
    return this.#repair;
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
   * Returns the vector of a prompt if it can be compared with skills. In a small collection, all skills must
   * have embeddings; if not, may start computing them. In a large collection, first computes the embeddings
   * of the skills that fit best by words.
   */
  async #read(prompt: string, indexed: Indexed, query: RankQuery): Promise<Int8Array | undefined> {
    const { ranker } = indexed;
    const { meanings } = ranker;
    const mayLearn = query.learn !== false;
    if (meanings === undefined || this.#isOff) return undefined;
    if (!meanings.isComplete && (!mayLearn || !isLarge(ranker))) {
      if (mayLearn) void this.#learn(meanings);
      return undefined;
    }
    const names = namesFor(query, indexed);
    const best = meanings.isComplete ? [] : ranker.bestByWords(prompt, depth, (key) => names.has(key));
    try {
      if (best.length > 0) {
        await meanings.learnFirst(best, this.#closing.signal);
        this.#saveOften(meanings);
      }
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

  #saveOften(meanings: SkillVectors): void {
    if (performance.now() - this.#savedAt < saveIntervalMs) return;
    this.#savedAt = performance.now();
    this.#save(meanings);
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
  indexed: Indexed,
  query: RankQuery,
  vector: Int8Array | undefined,
): Ranking {
  const names = namesFor(query, indexed);
  const { ranked, sure, ...others } = indexed.ranker.rank(prompt, {
    vector,
    limit: query.limit,
    among: (key) => names.has(key),
  });
  return {
    candidates: ranked.map(({ key, score, why }) => ({ name: names.get(key) ?? '', score, why })),
    abstain: sure < others.threshold,
    ...others,
  };
}

function isLarge(ranker: Ranker): boolean {
  return ranker.size > mostEmbedded;
}

function checkLimit(limit = 0): void {
  if (limit >= 0) return;
  throw new AgentError('usage.bad-input', `Invalid limit ${limit}: it must be 0 or greater.`, {
    hint: 'Use a number that is 0 or greater, or omit the limit to use 10.',
  });
}
