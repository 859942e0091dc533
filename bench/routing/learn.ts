import { choosing, telling, type Sample, type Choice } from './losses.ts';
import { leastLoss } from './newton.ts';
import type { Prepared } from './prepared.ts';
import { scoreAtRecall } from './metrics.ts';
import type { Evidence } from '../../src/skills/rank/evidence.ts';
import { weigh, type Weights, type Signs } from '../../src/skills/rank/confidence.ts';
import type { Query } from './collection.ts';

const wordEvidence = [
  'words',
  'share',
  'coverage',
  'name',
  'wholeName',
  'ask',
  'pairs',
  'thin',
  'thinWords',
] as const;
const meaningEvidence = ['meaning', 'nameMeaning', 'thinMeaning'] as const;
const wordSigns = [
  'amount',
  'purpose',
  'sentence',
  'name',
  'ask',
  'general',
  'thin',
  'crowd',
  'always',
] as const;
const meaningSigns = ['nameMeaning', 'nearest', 'surroundings'] as const;

const nothing: Weights = {
  evidence: zeros<keyof Evidence>([...wordEvidence, ...meaningEvidence]),
  signs: zeros<keyof Signs>([...wordSigns, ...meaningSigns]),
  threshold: 0,
};

/** The data to learn from, and the kinds of evidence to exclude. */
export interface Lesson {
  readonly from: readonly Prepared[];
  /** Collections of many sizes, from which to learn when no skill applies. */
  readonly signsFrom: readonly Prepared[];
  /** Small collections, from which to learn how evidence weighs among few skills. */
  readonly fewFrom: readonly Prepared[];
  /** Whether to learn from a prompt. */
  readonly mayUse: (query: Query) => boolean;
  /** The kinds of evidence to ignore. */
  readonly without?: readonly (keyof Evidence)[];
}

const choosingPenalty = 1e-3;
const tellingPenalty = 1;
const recall = 0.95;

/** Learns the weights of evidence and signs, and the threshold that 95 % of the prompts with a skill pass. */
export function learn({ from, signsFrom, fewFrom, mayUse, without = [] }: Lesson): Weights {
  const hasMeaning = from.some(({ vectors }) => vectors.size > 0);
  const evidenceNames = [...wordEvidence, ...(hasMeaning ? meaningEvidence : [])].filter(
    (name) => !without.includes(name),
  );
  const evidence = learnEvidence(from, mayUse, evidenceNames);
  const weights: Weights = {
    ...nothing,
    evidence: { ...nothing.evidence, ...evidence },
    ...(hasMeaning ? learnFew(from, fewFrom, mayUse, evidenceNames) : {}),
  };
  return {
    ...weights,
    ...learnSigns(signsFrom, mayUse, weights, [...wordSigns, ...(hasMeaning ? meaningSigns : [])]),
  };
}

const shareOfSmall = 0.6;

/**
 * Learns the weights for few skills. Mixes them with weights for words alone, so that a clear match by words
 * is not overruled by a small difference in meaning.
 */
function learnFew(
  from: readonly Prepared[],
  fewFrom: readonly Prepared[],
  mayUse: (query: Query) => boolean,
  names: readonly (keyof Evidence)[],
): Pick<Weights, 'few' | 'plain'> {
  const small = learnEvidence(fewFrom, mayUse, names);
  const words = learnEvidence(
    from,
    mayUse,
    wordEvidence.filter((name) => names.includes(name)),
    false,
  );
  const mixed = { ...nothing.evidence };
  for (const name of names)
    mixed[name] = shareOfSmall * (small[name] ?? 0) + (1 - shareOfSmall) * (words[name] ?? 0);
  return { few: mixed, plain: { ...nothing.evidence, ...words } };
}

function learnEvidence(
  from: readonly Prepared[],
  mayUse: (query: Query) => boolean,
  names: readonly (keyof Evidence)[],
  byMeaning = true,
): Partial<Weights['evidence']> {
  const choices = from.flatMap(({ collection, ranker, vectors }) =>
    collection.queries.filter(mayUse).map(({ query, relevant, source }) => {
      const vector = byMeaning ? vectors.get(query) : undefined;
      const { considered } = ranker.weighUp(query, { vector });
      return {
        source,
        rows: considered.map((each) => Float64Array.from(names, (name) => each.evidence[name])),
        right: considered.map(({ key }) => relevant.includes(key)),
      };
    }),
  );
  const usable = choices.filter(({ right }) => right.includes(true));
  const counts = Map.groupBy(usable, ({ source }) => source);
  const weightOf = (source: string): number => 1 / Math.sqrt(counts.get(source)?.length ?? 1);
  const whole = usable.reduce((sum, { source }) => sum + weightOf(source), 0);
  const weighted = usable.map((choice): Choice => ({ ...choice, weight: weightOf(choice.source) / whole }));
  return fit(
    names,
    weighted.flatMap(({ rows }) => rows),
    (scale) => {
      const scaled = weighted.map((choice) => ({ ...choice, rows: choice.rows.map(scale) }));
      return leastLoss(names.length, choosing(scaled), choosingPenalty);
    },
  );
}

function learnSigns(
  from: readonly Prepared[],
  mayUse: (query: Query) => boolean,
  weights: Weights,
  names: readonly (keyof Signs)[],
): Pick<Weights, 'signs' | 'threshold'> {
  const examples = from.flatMap(({ collection, ranker, vectors }) => {
    const all = [...collection.queries, ...collection.abstain].filter(mayUse).map(({ query, relevant }) => ({
      signs: ranker.weighUp(query, { vector: vectors.get(query), weights }).signs,
      holds: relevant.length > 0,
    }));
    const countOf = (holds: boolean): number => all.filter((each) => each.holds === holds).length;
    const few = { true: countOf(true), false: countOf(false) };
    // Prompts with and without a skill have equal total weight. Large collections weigh more, because the
    // decision is harder there.
    const whole = all.length * Math.log(collection.skills.length);
    return all.flatMap(({ signs, holds }) =>
      signs === undefined ? [] : [{ signs, holds, weight: whole / 2 / (holds ? few.true : few.false) }],
    );
  });
  const unit = examples.length / examples.reduce((sum, { weight }) => sum + weight, 0);
  const samples = examples.map(({ signs, holds, weight }): Sample => ({
    row: Float64Array.from(names, (name) => signs[name]),
    holds,
    weight: weight * unit,
  }));
  const found = fit(
    names,
    samples.map(({ row }) => row),
    (scale) =>
      leastLoss(
        names.length,
        telling(samples.map((each) => ({ ...each, row: scale(each.row) }))),
        tellingPenalty,
      ),
  );
  const signs = { ...nothing.signs, ...found };
  const sure = examples.filter(({ holds }) => holds).map((each) => certainty(weigh(each.signs, signs)));
  return { signs, threshold: scoreAtRecall(sure, recall) };
}

/** Learns from columns that are scaled to the same spread. Returns the weights for the unscaled columns. */
function fit<Name extends string>(
  names: readonly Name[],
  rows: readonly Float64Array[],
  learnScaled: (scale: (row: Float64Array) => Float64Array) => Float64Array,
): Record<Name, number> {
  const spread = names.map((_, column) => spreadOf(rows.map((row) => row[column] ?? 0)));
  const weights = learnScaled((row) => row.map((value, column) => value / (spread[column] ?? 1)));
  return Object.fromEntries(
    names.map((name, column) => [name, (weights[column] ?? 0) / (spread[column] ?? 1)]),
  ) as Record<Name, number>;
}

/**
 * Returns the spread of a column. A constant column gets a tiny spread, so that its weight adds hardly any
 * penalty.
 */
function spreadOf(values: readonly number[]): number {
  const middle = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / values.length) || 1e-3;
}

function certainty(sum: number): number {
  return 1 / (1 + Math.exp(-sum));
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
