import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLoops } from '../../../test/stress/stress.ts';
import { finished } from '../../../test/support/deadline.ts';
import { didYouMean, normaliseName } from '../names.ts';
import { hidesText, whyDeceptive } from '../text.ts';
import { bundleOfText, nowhere } from './bundle.ts';
import { splitList } from './fields.ts';
import { firstFence, firstParagraph, listItems } from './markdown.ts';
import { describeFromBody, readHeaded } from './read-descriptor.ts';

// Time that grows with the square of the input would take minutes, at the latest at full size.
const sizes = { small: 256_000, full: 1_000_000 }; // bytes
const { createLoop } = openLoops(import.meta);
const sections = { description: ['summary'], prompt: [] };

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

/** Declares a test for every size that there is time for; `filled` repeats a text up to that size. */
function testSizes(name: string, check: (filled: (unit: string) => string, size: number) => void): void {
  const loop = createLoop(sizes);
  test(name, async () => {
    await loop.sizes((size) => {
      check((unit) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size), size);
    });
  });
}

for (const unit of units) {
  testSizes(`many bytes of ${JSON.stringify(unit)} are read, as head and as body`, (filled, size) => {
    for (const text of [
      filled(unit),
      `---\n${filled(unit)}`,
      `---${filled(unit)}x y`,
      `---\nname: a\n---\n${filled(unit)}`,
      `> ${filled(unit)}`,
    ]) {
      finished('the bundle', () => {
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

testSizes('quotes nested as deep as they go, with lazy lines, are read', (filled) => {
  const texts = [
    '> '.repeat(90) + filled('a\n'),
    filled(`${'>'.repeat(100)}a\n`),
    filled(`${'> - '.repeat(40)}a\n`),
  ];
  for (const text of texts)
    finished('the outline', () => readHeaded(bundleOfText(text, nowhere), sections, ['description']));
});

test('heads that need repair are read', () => {
  const heads = [
    'a'.padEnd(60_000),
    `name${' '.repeat(60_000)}x`,
    'a: b: c\n'.repeat(8_000),
    `"${'a" '.repeat(20_000)}`,
    `x: [${'{'.repeat(60_000)}`,
  ];
  for (const head of heads)
    finished('the head', () => bundleOfText(`---\n${head}\n\tx: y: z\n---\n`, nowhere));
});

testSizes('names, hints, words and lists of any length are read', (filled) => {
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
    finished(JSON.stringify(unit), () => {
      normaliseName(text);
      whyDeceptive(text);
      hidesText(text);
      didYouMean(text, [text.slice(1), 'name', 'description']);
      splitList(text);
      firstParagraph(text);
      listItems(text);
      firstFence(text, ['json']);
    });
  }
});
