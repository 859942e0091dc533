import type { Weights } from '../../src/skills/rank/confidence.ts';
import type { Query } from './collection.ts';
import {
  areaUnderCurve,
  hitAt,
  mean,
  meanReciprocalRank,
  quantile,
  scoreAtRecall,
  share,
  type Rank,
} from './metrics.ts';
import type { Prepared } from './prepared.ts';

/** The ranking quality for a collection. */
export interface Figures {
  readonly queries: number;
  readonly hit1: number;
  readonly hit5: number;
  readonly hit10: number;
  readonly mrr: number;
  readonly recall50: number;
  /** The mean of hit@1 over all sources. */
  readonly macro: number;
  readonly sources: Readonly<
    Record<
      string,
      { readonly queries: number; readonly hit1: number; readonly hit5: number; readonly mrr: number }
    >
  >;
  /** Absent if the collection has no prompts without a skill. */
  readonly abstention?: Abstention;
  /** The time per decision in milliseconds, excluding the embedding of the prompt. */
  readonly latency: { readonly p50: number; readonly p95: number };
}

/** The reliability with which prompts that need no skill are recognised. */
export interface Abstention {
  readonly auroc: number;
  /**
   * The proportion of prompts without a skill that pass the threshold at which 95 % of the other prompts
   * pass.
   */
  readonly falseAt95: number;
  /** The proportions of prompts with and without a skill that pass the current threshold. */
  readonly recall: number;
  readonly false: number;
}

/** The result of ranking the skills for one prompt. */
export interface Answer {
  readonly query: Query;
  readonly rank: Rank;
  /** The proportion of the relevant skills that are among the first 50 candidates. */
  readonly recall50: number;
  /** The score of the first candidate, or 0 if there are no candidates. */
  readonly score: number;
  readonly threshold: number;
  readonly time: number;
}

/** Ranks the skills for every prompt. */
export function answersOf(
  { collection, ranker, vectors }: Prepared,
  queries: readonly Query[] = [...collection.queries, ...collection.abstain],
  weights?: Weights,
): readonly Answer[] {
  return queries.map((query) => {
    const vector = vectors.get(query.query);
    const start = performance.now();
    const { ranked, threshold } = ranker.rank(query.query, { limit: 50, vector, weights });
    const time = performance.now() - start;
    const keys = ranked.map(({ key }) => key);
    const rank = keys.findIndex((key) => query.relevant.includes(key));
    return {
      query,
      rank: rank < 0 ? undefined : rank,
      recall50: share(query.relevant, (id) => keys.includes(id)),
      score: ranked[0]?.score ?? 0,
      threshold,
      time,
    };
  });
}

/** Calculates the ranking quality from the answers. */
export function figuresOf(answers: readonly Answer[]): Figures {
  const asked = answers.filter(({ query }) => query.relevant.length > 0);
  const ranks = asked.map(({ rank }) => rank);
  const bySource = Map.groupBy(asked, ({ query }) => query.source);
  const sources = Object.fromEntries(
    [...bySource].map(([source, some]) => {
      const own = some.map(({ rank }) => rank);
      return [
        source,
        { queries: own.length, hit1: hitAt(own, 1), hit5: hitAt(own, 5), mrr: meanReciprocalRank(own) },
      ];
    }),
  );
  const idle = answers.filter(({ query }) => query.relevant.length === 0);
  const times = answers.map(({ time }) => time);
  return {
    queries: asked.length,
    hit1: hitAt(ranks, 1),
    hit5: hitAt(ranks, 5),
    hit10: hitAt(ranks, 10),
    mrr: meanReciprocalRank(ranks),
    recall50: mean(asked.map(({ recall50 }) => recall50)),
    macro: mean(Object.values(sources).map(({ hit1 }) => hit1)),
    sources,
    ...(idle.length === 0 ? {} : { abstention: abstentionOf(asked, idle) }),
    latency: { p50: quantile(times, 0.5), p95: quantile(times, 0.95) },
  };
}

function abstentionOf(asked: readonly Answer[], idle: readonly Answer[]): Abstention {
  const [positive, negative] = [asked, idle].map((some) => some.map(({ score }) => score));
  const at95 = scoreAtRecall(positive ?? [], 0.95);
  return {
    auroc: areaUnderCurve(positive ?? [], negative ?? []),
    falseAt95: share(negative ?? [], (score) => score >= at95),
    recall: share(asked, ({ score, threshold }) => score >= threshold),
    false: share(idle, ({ score, threshold }) => score >= threshold),
  };
}
