import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { catalogRecall } from './catalog-recall.ts';
import { readCollection } from './collection.ts';
import { answersOf, figuresOf, type Figures } from './evaluate.ts';
import { vectorFolder } from './folders.ts';
import { full, linesOf } from './full.ts';
import { prepareMeaning, prepareWords, type Prepared } from './prepared.ts';
import { scale, type Scale } from './scale.ts';

const { values } = parseArgs({
  options: {
    /** The folder with skills.jsonl, queries.jsonl and, optionally, abstain.jsonl. */
    data: { type: 'string', default: process.env['SKILLED_DATA'] ?? '' },
    json: { type: 'boolean', default: false },
    /** The folder in which vectors are cached between runs. */
    vectors: { type: 'string', default: vectorFolder() },
    'no-meaning': { type: 'boolean', default: false },
    /** The number of skills for measuring a single decision. */
    scale: { type: 'string', default: '10000' },
    /** Also measures small, attacked and padded collections, everyday prompts, and routing with an oracle. */
    full: { type: 'boolean', default: false },
  },
});
if (values.data === '') {
  process.stderr.write('Give the folder of a routing collection with --data or SKILLED_DATA.\n');
  process.exit(2);
}

const catalogTokens = 2_000;
const collection = readCollection(values.data);
const withWords = prepareWords(collection);
const words = resultOf(withWords);
const withVectors = values['no-meaning'] ? undefined : await prepareMeaning(collection, values.vectors);
const meaning = withVectors === undefined ? undefined : resultOf(withVectors);
const large = Number(values.scale) > 0 ? await scale(collection, Number(values.scale)) : undefined;
const more = values.full ? await full(collection, withWords, withVectors, values.vectors) : undefined;
if (values.json) {
  process.stdout.write(
    `${JSON.stringify({ ok: true, skills: collection.skills.length, words, ...(meaning === undefined ? {} : { meaning }), ...(large === undefined ? {} : { scale: large }), ...(more === undefined ? {} : { full: more }) })}\n`,
  );
} else {
  process.stdout.write(
    `${collection.skills.length} skills, ${collection.queries.length} prompts, ${collection.abstain.length} that need none; ${cpus()[0]?.model ?? ''}, Node ${process.version}\n`,
  );
  print('words alone', words);
  if (meaning === undefined)
    process.stdout.write('\nkeywords and meaning: the encoder is not installed or not asked for\n');
  else print('keywords and meaning', meaning);
  if (large !== undefined) printScale(large);
  if (more !== undefined) process.stdout.write(`\n${linesOf(more)}`);
}
process.exit(0); // The encoder's thread would keep running.

/** Prints the measurements for a single decision among many skills. */
function printScale({ skills, indexTime, words: plain, meaning: both, memory, vectorMemory }: Scale): void {
  const times = ({ p50, p95 }: Scale['words']): string =>
    `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`;
  process.stdout.write(
    `\namong ${skills.toLocaleString('en')} skills\n` +
      `  one decision by words             ${times(plain)}\n` +
      `  one decision with vectors         ${times(both)}\n` +
      `  index                             ${indexTime.toFixed(0)} ms\n` +
      `  memory per skill                  ${memory.toFixed(1)} KB, vectors ${vectorMemory.toFixed(1)} KB\n`,
  );
}

/** The results of one ranking method, for printing. */
interface Result extends Figures {
  readonly catalog: { readonly tokens: number; readonly recall: number; readonly shown: number };
  /** The time for indexing all skills in milliseconds, excluding vectors. */
  readonly indexTime: number;
}

function resultOf(prepared: Prepared): Result {
  const figures = figuresOf(answersOf(prepared));
  return {
    ...figures,
    catalog: { tokens: catalogTokens, ...catalogRecall(prepared, catalogTokens) },
    indexTime: prepared.indexTime,
  };
}

function print(title: string, result: Result): void {
  const { hit1, hit5, hit10, mrr, recall50, macro, abstention, catalog, latency } = result;
  const rows = [
    ['hit@1', part(hit1)],
    ['hit@5', part(hit5)],
    ['hit@10', part(hit10)],
    ['MRR', part(mrr)],
    ['recall@50', part(recall50)],
    ['macro hit@1 by source', part(macro)],
    ...Object.entries(result.sources).map(([source, own]) => [
      `  ${source} (${own.queries})`,
      `hit@1 ${part(own.hit1)}  hit@5 ${part(own.hit5)}  MRR ${part(own.mrr)}`,
    ]),
    ...(abstention === undefined
      ? []
      : [
          ['abstention AUROC', part(abstention.auroc)],
          ['false activation at 95 % recall', percent(abstention.falseAt95)],
          [
            'at the threshold in use',
            `${percent(abstention.recall)} recall, ${percent(abstention.false)} false`,
          ],
        ]),
    [
      `in a catalog of ${catalog.tokens} tokens`,
      `${percent(catalog.recall)}, ${catalog.shown.toFixed(0)} skills shown`,
    ],
    ['one decision', `p50 ${latency.p50.toFixed(1)} ms, p95 ${latency.p95.toFixed(1)} ms`],
    ['index', `${result.indexTime.toFixed(0)} ms`],
  ];
  process.stdout.write(`\n${title}\n`);
  for (const [what = '', figure = ''] of rows) process.stdout.write(`  ${what.padEnd(34)}${figure}\n`);
}

function part(value: number): string {
  return value.toFixed(3).replace(/^0/, '');
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}
