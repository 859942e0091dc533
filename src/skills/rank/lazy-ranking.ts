import type { Issue } from '../../core/index.ts';
import type { SkillRecord } from '../registry/record.ts';
import type { LearnOptions, RankingOptions, RankQuery, Ranking, SkillRanking } from './skill-ranking.ts';

/** The ranking of an agent's skills. Its code is loaded on first use, because most commands rank nothing. */
export class LazyRanking implements Pick<SkillRanking, 'issues' | 'rank' | 'learn' | 'close'> {
  readonly #options: RankingOptions;
  #opening: Promise<SkillRanking> | undefined;
  #opened: SkillRanking | undefined;
  #isClosed = false;

  constructor(options: RankingOptions) {
    this.#options = options;
  }

  /** Issues about ranking by meaning and about saving vectors. */
  get issues(): readonly Issue[] {
    return this.#opened?.issues ?? [];
  }

  /** Ranks skills for a prompt, as `SkillRanking` does. */
  async rank(prompt: string, skills: readonly SkillRecord[], query?: RankQuery): Promise<Ranking> {
    return (this.#opened ?? (await this.#open())).rank(prompt, skills, query);
  }

  /** Computes the missing embeddings of skills, as `SkillRanking` does. */
  async learn(skills: readonly SkillRecord[], options?: LearnOptions): Promise<number> {
    return (this.#opened ?? (await this.#open())).learn(skills, options);
  }

  /** Stops computing vectors and saves the vectors that were already computed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (this.#opened ?? (await this.#opening))?.close();
  }

  #open(): Promise<SkillRanking> {
    return (this.#opening ??= this.#create());
  }

  async #create(): Promise<SkillRanking> {
    const { SkillRanking } = await import('./skill-ranking.ts');
    this.#opened = new SkillRanking(this.#options);
    if (this.#isClosed) await this.#opened.close();
    return this.#opened;
  }
}
