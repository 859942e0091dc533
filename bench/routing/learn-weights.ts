// Learns the ranking's weights from collections and writes them into the product's source. Reports the
// quality on sources that were excluded from learning and, with --ablation, the contribution of each kind of
// evidence.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Evidence } from '../../src/skills/rank/evidence.ts';
import type { Weights } from '../../src/skills/rank/confidence.ts';
import { readCollection, type Collection, type Query } from './collection.ts';
import { answersOf, figuresOf, type Figures } from './evaluate.ts';
import { vectorFolder } from './folders.ts';
import { learn } from './learn.ts';
import { prepareAgain, prepareMeaning, prepareWords, type Prepared } from './prepared.ts';
import { smallCollections } from './small.ts';
import { subsetsOf } from './subsets.ts';

const { values } = parseArgs({
  options: {
    /** The folder of the collection to learn from and to report on. */
    data: { type: 'string' },
    /**
     * The folder of a second collection, whose skills have no bodies. A quarter of its prompts are used for
     * learning, and the rest for the report.
     */
    thin: { type: 'string' },
    vectors: { type: 'string', default: vectorFolder() },
    ablation: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
if (values.data === undefined || values.thin === undefined) {
  process.stderr.write('Give two collections with --data and --thin.\n');
  process.exit(2);
}
const main = readCollection(values.data);
const [lesson, rest] = quarter(readCollection(values.thin));

const words = await waysOf((collection) => Promise.resolve(prepareWords(collection)));
const meaning = await waysOf((collection) => prepareMeaning(collection, values.vectors));
compareFew(report('words', words), report('meaning', meaning));
if (values.ablation) ablate(meaning);
if (values.write) write(weightsFrom(words), weightsFrom(meaning));

/** The three collections, prepared either all with vectors or all without. */
interface Ways {
  readonly main: Prepared;
  readonly lesson: Prepared;
  readonly rest: Prepared;
  /** The main collection, and smaller collections that are drawn from it. */
  readonly sizes: readonly Prepared[];
  /** Small collections to learn from, and others to test with. */
  readonly few: readonly Prepared[];
  readonly fewTested: readonly Prepared[];
}

async function waysOf(prepare: (collection: Collection) => Promise<Prepared | undefined>): Promise<Ways> {
  const prepared = [await prepare(main), await prepare(lesson), await prepare(rest)];
  const [first, second, third] = prepared;
  if (first === undefined || second === undefined || third === undefined)
    throw new Error('The encoder is not installed.');
  const vectors = new Map([...first.vectors, ...second.vectors]);
  const smaller = [
    ...subsetsOf(main).map((collection) => prepareAgain(collection, first)),
    ...subsetsOf({ ...lesson, abstain: main.abstain })
      .filter(({ skills }, index) => skills.length <= 30 && index % 3 === 0)
      .map((collection) => prepareAgain(collection, { ...second, vectors })),
  ];
  const few = [
    ...smallCollections(main, { times: 3, seed: 1 }).map((collection) => prepareAgain(collection, first)),
    ...smallCollections(main, { times: 3, seed: 2, bodies: false }).map((collection) =>
      prepareAgain(collection, first),
    ),
    ...smallCollections(lesson, { times: 6, seed: 3 }).map((collection) =>
      prepareAgain(collection, { ...second, vectors }),
    ),
  ];
  const fewTested = smallCollections(main, { times: 8, seed: 4 }).map((collection) =>
    prepareAgain(collection, first),
  );
  await known(few);
  return { main: first, lesson: second, rest: third, sizes: [first, ...smaller], few, fewTested };
}

/** Computes vectors that are still missing: those of skills without a body. */
async function known(some: readonly Prepared[]): Promise<void> {
  const waiting = setInterval(() => undefined, 1_000); // The encoder's thread does not keep the process alive.
  for (const { ranker } of some) await ranker.meanings?.learn();
  clearInterval(waiting);
}

function quarter(collection: Collection): readonly [Collection, Collection] {
  const part = (isIn: (index: number) => boolean): Collection => ({
    ...collection,
    queries: collection.queries.filter((_, index) => isIn(index)),
  });
  return [part((index) => index % 4 === 0), part((index) => index % 4 !== 0)];
}

function weightsFrom(ways: Ways, without: readonly (keyof Evidence)[] = []): Weights {
  return learn({
    from: [ways.main, ways.lesson],
    signsFrom: ways.sizes,
    fewFrom: ways.few,
    mayUse: () => true,
    without,
  });
}

/**
 * Ranks the skills for the prompts of each source, with weights that were learned from the other sources.
 * Prompts that need no skill are distributed evenly among the sources.
 */
function leftOut(
  ways: Ways,
  without: readonly (keyof Evidence)[] = [],
): Figures & { readonly few: readonly number[] } {
  const few: number[] = [];
  const sources = [...new Set(main.queries.map(({ source }) => source))];
  const folds = new Map(main.abstain.map((query, index) => [query, index % sources.length]));
  const isIn = (query: Query, source: string, fold: number): boolean =>
    query.source === source || folds.get(query) === fold;
  const answers = sources.flatMap((source, fold) => {
    const weights = learn({
      from: [ways.main, ways.lesson],
      signsFrom: ways.sizes,
      fewFrom: ways.few,
      mayUse: (query) => !isIn(query, source, fold),
      without,
    });
    const queries = [...main.queries, ...main.abstain].filter((query) => isIn(query, source, fold));
    for (const tested of ways.fewTested)
      if (tested.collection.queries[0]?.source === source)
        few.push(figuresOf(answersOf(tested, undefined, weights)).hit1);
    return answersOf(ways.main, queries, weights);
  });
  return { ...figuresOf(answers), few };
}

/** R7: compares small collections of the sources that were left out, by words and by meaning. */
function compareFew(byWords: readonly number[], byMeaning: readonly number[]): void {
  const gains = byMeaning.map((hit, index) => hit - (byWords[index] ?? 0));
  const mean = (values: readonly number[]): string =>
    (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(3);
  process.stdout.write(
    `${gains.length} collections of 8 to 30 skills, each source left out: hit@1 by words ${mean(byWords)}, with meaning ${mean(byMeaning)}, ` +
      `worst difference ${Math.min(...gains).toFixed(3)}, lower in ${gains.filter((gain) => gain < 0).length}\n`,
  );
}

function report(title: string, ways: Ways, without: readonly (keyof Evidence)[] = []): readonly number[] {
  const weights = weightsFrom(ways, without);
  const line = (label: string, { hit1, hit5, mrr, macro, abstention }: Figures): void => {
    const figures = [
      hit1,
      hit5,
      mrr,
      macro,
      ...(abstention === undefined ? [] : [abstention.auroc, abstention.falseAt95]),
    ];
    process.stdout.write(
      `${`${title}: ${label}`.padEnd(44)}${figures.map((value) => value.toFixed(3)).join('  ')}\n`,
    );
  };
  line('all learned from', figuresOf(answersOf(ways.main, undefined, weights)));
  const { few, ...out } = leftOut(ways, without);
  line('each source left out', out);
  const groups = Map.groupBy(
    ways.sizes,
    ({ collection: { skills } }) =>
      `${skills.length} skills${skills[0]?.body === '' ? ' without bodies' : ''}`,
  );
  for (const [size, some] of groups)
    line(size, figuresOf(some.flatMap((each) => answersOf(each, undefined, weights))));
  line('skills without bodies, not learned from', figuresOf(answersOf(ways.rest, undefined, weights)));
  return few;
}

function ablate(ways: Ways): void {
  const ingredients: Readonly<Record<string, readonly (keyof Evidence)[]>> = {
    'without name': ['name', 'wholeName'],
    'without coverage and share': ['coverage', 'share'],
    'without asking sentences': ['ask'],
    'without pairs': ['pairs'],
    'without thinness': ['thin', 'thinWords', 'thinMeaning'],
    'without the meaning of names': ['nameMeaning'],
    'without meaning': ['meaning', 'nameMeaning', 'thinMeaning'],
    'fielded BM25 alone': [
      ...(['name', 'wholeName', 'coverage', 'share', 'ask', 'pairs', 'thin'] as const),
      ...(['thinWords', 'meaning', 'nameMeaning', 'thinMeaning'] as const),
    ],
  };
  for (const [title, without] of Object.entries(ingredients)) report(title, ways, without);
}

function write(byWords: Weights, byMeaning: Weights): void {
  const file = join(import.meta.dirname, '..', '..', 'src', 'skills', 'rank', 'learned-weights.ts');
  const table = (numbers: Readonly<Record<string, number>>): string =>
    Object.entries(numbers)
      .map(([name, number]) => `    ${name}: ${Number(number.toFixed(3))},\n`)
      .join('');
  const of = ({ evidence, few, plain, signs, threshold }: Weights): string =>
    `{\n  evidence: {\n${table(evidence)}  },\n${few === undefined ? '' : `  few: {\n${table(few)}  },\n`}${plain === undefined ? '' : `  plain: {\n${table(plain)}  },\n`}  signs: {\n${table(signs)}  },\n  threshold: ${Number(threshold.toFixed(3))},\n}`;
  writeFileSync(
    file,
    `// Generated by bench/routing/learn-weights.ts; do not edit.
import type { Weights } from './confidence.ts';

/** The weights for ranking by words alone. */
export const byWords: Weights = ${of(byWords)};

/** The weights for ranking by words and by meaning. */
export const byMeaning: Weights = ${of(byMeaning)};
`,
  );
}
