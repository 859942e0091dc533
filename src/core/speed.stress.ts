import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count } from '../../test/stress/count.ts';
import { bundleOfText, nowhere } from './bundle.ts';
import { describeFromBody } from './describe.ts';
import { splitWords } from './fields.ts';
import { hidesText, whyDeceptive } from './hidden.ts';
import { readHeaded } from './headed.ts';
import { firstFence, firstParagraph, listItems } from './markdown.ts';
import { didYouMean, normaliseName } from './names.ts';

// A guard against running time that grows faster than the input, not a benchmark.
const size = count({ small: 64_000, full: 256_000 }); // bytes
const generous = count({ small: 1500, full: 4000 }); // milliseconds
const filled = (unit: string): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
const sections = { description: ['summary'], prompt: [] };

function assertQuick(name: string, work: () => void): void {
  const start = performance.now();
  work();
  const spent = performance.now() - start;
  assert.ok(spent < generous, `${name} took ${Math.round(spent)} ms`);
}

const units = [
  '\n',
  'a:\n',
  '---\n',
  ' ',
  '\t',
  '\r',
  '#',
  '# a\n',
  '## prompt\n',
  '#\n',
  '> ',
  '>',
  '[[[[',
  '![',
  '- ',
  '|',
  '`',
  '*',
  '"',
  '<!--',
];
for (const unit of units) {
  test(`many bytes of ${JSON.stringify(unit)} are read in time, as head and as body`, () => {
    for (const text of [
      filled(unit),
      `---\n${filled(unit)}`,
      `---${filled(unit)}x y`,
      `---\nname: a\n---\n${filled(unit)}`,
      `> ${filled(unit)}`,
    ]) {
      assertQuick('the bundle', () => {
        const bundle = bundleOfText(text, nowhere, {
          frontmatterBytes: size,
          frontmatterKeys: 200,
          frontmatterDepth: 8,
        });
        assert.ok(readHeaded(bundle, sections, ['description', 'prompt']).issues.length < 500);
        describeFromBody(bundle, []);
      });
    }
  });
}

test('quotes nested as deep as they go, with lazy lines, are read in time', () => {
  const texts = [
    '> '.repeat(90) + filled('a\n'),
    filled(`${'>'.repeat(100)}a\n`),
    filled(`${'> - '.repeat(40)}a\n`),
  ];
  for (const text of texts)
    assertQuick('the outline', () => readHeaded(bundleOfText(text, nowhere), sections, ['description']));
});

test('heads that need repair are read in time', () => {
  const heads = [
    'a'.padEnd(60_000),
    `name${' '.repeat(60_000)}x`,
    'a: b: c\n'.repeat(8_000),
    `"${'a" '.repeat(20_000)}`,
    `x: [${'{'.repeat(60_000)}`,
  ];
  for (const head of heads)
    assertQuick('the head', () => bundleOfText(`---\n${head}\n\tx: y: z\n---\n`, nowhere));
});

test('names, hints, words and lists of any length are read in time', () => {
  for (const unit of [
    '-',
    'a-',
    '--a',
    '\u0301',
    '\u200d',
    '😀',
    '( ',
    '" ',
    "' ",
    'a,',
    '`',
    '**',
    '<!-- -->',
    '1. ',
    '_',
  ]) {
    const text = `a${filled(unit)}b`;
    assertQuick(JSON.stringify(unit), () => {
      normaliseName(text);
      whyDeceptive(text);
      hidesText(text);
      didYouMean(text, [text.slice(1), 'name', 'description']);
      splitWords(text);
      firstParagraph(text);
      listItems(text);
      firstFence(text, ['json']);
    });
  }
});
