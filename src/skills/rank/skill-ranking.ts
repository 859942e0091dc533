import {
  AgentError,
  createYielder,
  reasonOf,
  type Embedder,
  type Issue,
  type Skill,
} from '../../core/index.ts';
import { bodyOf } from '../registry/definition.ts';
import { offeredSkills, type OfferOptions } from '../catalog/entries.ts';
import type { SkillLimits } from '../limits.ts';
import { SkillVectors } from './embeddings.ts';
import { searchableOf } from './fields.ts';
import { Ranker } from './ranker.ts';
import { VectorCache, vectorFileOf } from './vector-cache.ts';
import type { SkillRecord } from '../registry/record.ts';

/** Which skills to rank, and how many to name. */
export interface RankQuery extends OfferOptions {
  /** Default 10. */
  readonly limit?: number | undefined;
  readonly family?: string | undefined;
  /** Only these, the package's own tools included where they are among them; the same list is looked through once. */
  readonly among?: readonly Skill[] | undefined;
  /** Start to learn missing meanings for the next time. Default true. */
  readonly learn?: boolean | undefined;
}

/** A skill that may be meant. */
export interface Candidate {
  /** The name to call it by. */
  readonly name: string;
  /** From 0 to 1: how sure it is that this skill applies. */
  readonly score: number;
  /** The words of the prompt that it shares, those that tell most first. */
  readonly why: readonly string[];
}

/** What fits a prompt, best first. */
export interface Ranking {
  readonly candidates: readonly Candidate[];
  /** Whether no skill applies: the best score is below the threshold. */
  readonly abstain: boolean;
  readonly threshold: number;
  /** What decided: words alone, or meaning as well. */
  readonly by: 'words' | 'meaning';
}

/** How to wait for meanings. */
export interface LearnOptions {
  /** Learn nothing now when more texts than this are missing. */
  readonly most?: number;
  /** Told now and then how many texts are missing. */
  readonly onProgress?: (missing: number) => void;
}

/** What a ranking stands on. */
interface RankingOptions {
  readonly limits: SkillLimits;
  /** Opens the encoder of meanings when it is first needed; nothing when there is none. */
  readonly openEmbedder?: (() => Embedder | undefined) | undefined;
  /** Where vectors are kept for the next start; only in memory without it. */
  readonly cacheFolder?: string | undefined;
}

const maxFailures = 2;
const longestTurn = 20; // milliseconds that indexing may keep everything else waiting

/** The one ranking of an agent's skills: follows the registry skill by skill, and learns meanings in the background. */
export class SkillRanking {
  readonly #options: RankingOptions;
  #ranker: Ranker | undefined;
  #indexed: Indexed | undefined;
  #embedder: Embedder | undefined;
  #cache: VectorCache | undefined; // one for all rankers: a new one starts with what the last one learned
  #following: Promise<Indexed> | undefined;
  #failure: Issue | undefined;
  #failures = 0;
  #unkept: Issue | undefined;
  readonly #closing = new AbortController();

  constructor(options: RankingOptions) {
    this.#options = options;
  }

  /** What keeps it from ranking by meaning or from keeping what it learned. */
  get issues(): readonly Issue[] {
    return [this.#failure, this.#unkept].filter((issue) => issue !== undefined);
  }

  /** Whether meaning has no part any more: after the end, and when trying again did not help. */
  get #isOff(): boolean {
    return this.#closing.signal.aborted || this.#failures >= maxFailures;
  }

  /** Ranks these skills for a prompt: by words, and by meaning too once the meanings of all of them are known. */
  async rank(prompt: string, skills: readonly SkillRecord[], query: RankQuery = {}): Promise<Ranking> {
    checkLimit(query.limit);
    const { ranker: asked } = await this.#follow(skills);
    const read = await this.#read(prompt, asked.meanings, query.learn !== false);
    // The skills may have changed meanwhile: the answer is about those that there are now.
    const indexed = (await this.#following) ?? (await this.#follow(skills));
    const { ranker } = indexed;
    const vector = ranker === asked && ranker.meanings?.isComplete === true ? read : undefined;
    const names = namesFor(query, indexed);
    const { ranked, sure, threshold } = ranker.rank(prompt, {
      vector,
      limit: query.limit,
      among: (key) => names.has(key),
    });
    return {
      candidates: ranked.map(({ key, score, why }) => ({ name: names.get(key) ?? '', score, why })),
      abstain: sure < threshold,
      threshold,
      by: vector === undefined ? 'words' : 'meaning',
    };
  }

  /** Learns the meanings of these skills; resolves with the number of texts whose meaning is unknown, 0 without an encoder. */
  async learn(skills: readonly SkillRecord[], options: LearnOptions = {}): Promise<number> {
    const { meanings } = (await this.#follow(skills)).ranker;
    const { most = Infinity, onProgress } = options;
    const missing = (): number => (this.#failures < maxFailures ? (meanings?.missing ?? 0) : 0);
    if (meanings === undefined || missing() === 0 || missing() > most) return missing();
    const waiting = setInterval(() => onProgress?.(missing()), 200); // also keeps the process alive
    try {
      await this.#learn(meanings);
    } finally {
      clearInterval(waiting);
    }
    return missing();
  }

  /** Stops learning and keeps what was learned. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#keep(this.#ranker?.meanings);
    await this.#embedder?.close();
  }

  /** One after the other: two callers must not index the same skill twice. */
  #follow(skills: readonly SkillRecord[]): Promise<Indexed> {
    if (this.#indexed?.skills === skills) return Promise.resolve(this.#indexed);
    const next = (): Promise<Indexed> => this.#index(skills);
    this.#following = this.#following === undefined ? next() : this.#following.then(next, next);
    return this.#following;
  }

  /** Indexes what is new and forgets what is gone; everything else stays as it is. */
  async #index(skills: readonly SkillRecord[]): Promise<Indexed> {
    if (this.#indexed?.skills === skills) return this.#indexed;
    if (this.#ranker?.isWorn !== false) this.#ranker = new Ranker(this.#newMeanings());
    const ranker = this.#ranker;
    const offered = offeredSkills(skills, { internals: true }).map(({ skill }) => skill);
    const keys = new Map(offered.map((skill) => [skill, keyOf(skill)] as const));
    const missing = new Map([...keys].map(([skill, key]) => [key, skill]));
    for (const key of ranker.keys()) if (!missing.delete(key)) ranker.remove(key);
    const letOthersWork = createYielder(longestTurn);
    for (const [key, skill] of missing) {
      ranker.add(key, searchableOf(skill, bodyOf(skill, this.#options.limits)));
      await letOthersWork();
    }
    this.#indexed = { skills, ranker, keys, names: new Map() };
    return this.#indexed;
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

  /** The meaning of a prompt, if it can be compared; what is missing for that is learned meanwhile. */
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
      this.#keep(meanings);
      this.#failure = undefined;
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #keep(meanings: SkillVectors | undefined): void {
    if (meanings !== undefined) this.#unkept = meanings.keep();
  }

  #fail(thrown: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#failures++;
    this.#failure = {
      level: 'info',
      code: 'rank.by-words',
      message: `Skills are ranked by words alone: ${reasonOf(thrown)}.`,
    };
  }
}

function checkLimit(limit = 0): void {
  if (limit >= 0) return;
  throw new AgentError('usage.bad-input', `The limit ${limit} is not a number from 0 up.`, {
    hint: 'Give a number, or leave it out for 10.',
  });
}

/** The registry that the index is equal to. */
interface Indexed {
  readonly skills: readonly SkillRecord[];
  readonly ranker: Ranker;
  readonly keys: ReadonlyMap<SkillRecord, string>;
  /** By what was asked for: the names of the skills that may be candidates, by their keys. */
  readonly names: Map<unknown, ReadonlyMap<string, string>>;
}

/** Found once for a registry: looking at ten thousand skills takes longer than ranking them. */
function namesFor(
  { internals, family, among }: RankQuery,
  { skills, keys, names }: Indexed,
): ReadonlyMap<string, string> {
  const asked = among ?? JSON.stringify([internals ?? false, family]);
  const known = names.get(asked);
  if (known !== undefined) return known;
  const wanted = among && new Set(among);
  const offered = offeredSkills(skills, { internals: internals ?? among !== undefined })
    .filter(({ skill }) => wanted?.has(skill) ?? (family === undefined || skill.family === family))
    .map(({ name, skill }) => [keys.get(skill) ?? '', name] as const);
  const found = new Map(offered);
  names.set(asked, found);
  return found;
}

/** What a skill is known by in the ranking: another text is another skill. */
function keyOf(skill: SkillRecord): string {
  const place =
    skill.file === ''
      ? JSON.stringify([skill.source, skill.name, skill.card.description, skill.card.whenToUse])
      : skill.file;
  return `${place}#${skill.sum}`;
}
