import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finished } from '../../../test/support/deadline.ts';
import { longestBody, partsOf, type SearchedParts } from './fields.ts';
import { termsOf } from './words.ts';

const ofBody = (body: string): SearchedParts => partsOf({ name: 'x', description: 'Reads.', body });
const ofDescription = (description: string, whenToUse?: string): readonly string[] =>
  partsOf({ name: 'x', description, whenToUse, body: '' }).terms.description;

test('fields: headings are headings and prose too, whatever their level', () => {
  const { terms, prose } = ofBody('# Invoices\n\nNumbered.\n\n###### Payment terms ######\n\nThirty days.');
  assert.deepEqual(terms.headings.slice(0, 3), termsOf('invoices payment terms'));
  for (const word of ['Invoices', 'Numbered', 'Payment', 'Thirty']) assert.ok(prose.includes(word), word);
  assert.ok(!prose.startsWith('#'));
});

test('fields: a hash without a blank, or more than six, is not a heading', () => {
  assert.deepEqual(ofBody('#tag\n\n####### seven').terms.headings, []);
});

test('fields: name, description and when-to-use each are in their part', () => {
  const { terms, sentences } = partsOf({
    name: 'csv-to-json',
    description: 'Converts tables. Infers types.',
    whenToUse: 'An export must become records.',
    body: '',
  });
  assert.deepEqual(terms.name, termsOf('csv-to-json'));
  assert.deepEqual(terms.description, termsOf('converts tables infers types export become records'));
  assert.deepEqual(terms.headings, []);
  assert.deepEqual(terms.body, []);
  assert.deepEqual(sentences[0], terms.name);
  assert.equal(sentences.length, 4);
});

const fences: readonly (readonly [what: string, body: string])[] = [
  ['backticks', 'before\n\n```js\nsecretword();\n```\n\nafter'],
  ['tildes', 'before\n\n~~~\nsecretword();\n~~~\n\nafter'],
  ['four backticks around three', 'before\n\n````md\n```\nsecretword\n```\n````\n\nafter'],
  ['a fence that is indented a little', 'before\n\n   ```\nsecretword\n   ```\n\nafter'],
  ['headings in code', 'before\n\n```sh\n# secretword\n```\n\nafter'],
];
for (const [what, body] of fences) {
  test(`fields: code between fences is left out: ${what}`, () => {
    const { prose, terms } = ofBody(body);
    assert.deepEqual(terms.body, termsOf('before after'), prose);
    assert.deepEqual(terms.headings, []);
  });
}

test('fields: a fence that is never closed ends with the text', () => {
  assert.deepEqual(ofBody('before\n\n```\nsecretword\n\nmore').terms.body, termsOf('before'));
  assert.deepEqual(ofBody('before\n\n~~~\nsecretword').terms.body, termsOf('before'));
});

test('fields: markup is left out, what it marks stays', () => {
  const { prose } = ofBody(
    '**Bold** _word_ `code` [link](https://x.example/path) <!-- hidden --> > quote | cell',
  );
  for (const word of ['Bold', 'word', 'code', 'link', 'quote', 'cell']) assert.ok(prose.includes(word), word);
  for (const mark of ['*', '_', '`', 'https', 'hidden', '|']) assert.ok(!prose.includes(mark), mark);
});

const aboutOthers = [
  'When NOT to use',
  "When you shouldn't: don't use it for these",
  'Do not use for',
  "Don't use this when",
  'Not for',
  'Related skills',
  'See also',
  'Other skills',
];
for (const heading of aboutOthers) {
  test(`fields: the section "${heading}" is left out, and only that`, () => {
    const { terms } = ofBody(
      `# Tables\n\nbefore\n\n## ${heading}\n\nstrange\n\n### Deeper\n\nodd\n\n## Next\n\nafter`,
    );
    assert.deepEqual(terms.headings, termsOf('tables next'));
    assert.deepEqual(terms.body, termsOf('tables before next after'));
  });
}

for (const heading of ['When to use', 'Use cases', 'Notes', 'For teams', 'Usage', 'Nothing to install']) {
  test(`fields: the section "${heading}" is kept`, () => {
    assert.ok(ofBody(`## ${heading}\n\nkept`).terms.body.includes('kept'));
  });
}

const foreign = [
  'For spreadsheets, see excel-report.',
  'For spreadsheets use excel-report.',
  'Do not use for spreadsheets.',
  "Don't use it for spreadsheets.",
  'Not for spreadsheets.',
  'Never use for spreadsheets.',
  'Avoid using it on spreadsheets.',
];
for (const sentence of foreign) {
  test(`fields: "${sentence}" says nothing about the skill`, () => {
    assert.deepEqual(
      ofDescription(`Reads forms. ${sentence} Merges pages.`),
      termsOf('reads forms merges pages'),
    );
    assert.deepEqual(ofDescription('Reads forms.', sentence), termsOf('reads forms'));
  });
}

test('fields: capitals with a colon begin a sentence without a full stop before them', () => {
  const terms = ofDescription('Reads forms DO NOT USE: spreadsheets');
  assert.deepEqual(terms, termsOf('reads forms'));
});

test('fields: a description of nothing but such sentences is kept', () => {
  assert.deepEqual(ofDescription('Do not use for spreadsheets.'), termsOf('spreadsheets'));
  assert.notDeepEqual(ofDescription('For spreadsheets, see excel-report.'), []);
});

test('fields: a phrase that is said a hundred times counts as one that is said twice', () => {
  const phrase = 'convert invoice tables quickly ';
  const [once, twice, often] = [1, 2, 100].map((times) => ofDescription(phrase.repeat(times)));
  assert.deepEqual(often, twice);
  assert.ok((twice ?? []).length <= (once ?? []).length + 1);
  assert.deepEqual(ofDescription('invoice '.repeat(100)), ofDescription('invoice '.repeat(2)));
  assert.deepEqual(ofDescription('Invoice. '.repeat(100)), ofDescription('Invoice. '.repeat(2)));
});

test('fields: of a long body only the start is read', () => {
  const start = 'word '.repeat(longestBody / 5);
  assert.deepEqual(ofBody(`${start}beyond`).terms, ofBody(start).terms);
  assert.ok(ofBody(`${'x'.repeat(100)} early ${start}`).terms.body.includes('earli'));
});

test('fields: an empty text is not a part', () => {
  const { terms, sentences, prose } = partsOf({ name: '', description: '', whenToUse: undefined, body: '' });
  assert.deepEqual(Object.values(terms).flat(), []);
  assert.deepEqual(sentences.flat(), []);
  assert.equal(prose, '');
});

const units = [
  '#',
  '# ',
  '`',
  '~',
  '```\n',
  '<!--',
  '-->',
  '[',
  '](',
  '[](',
  '*_',
  '>',
  '\n',
  ' ',
  '\t',
  'a',
  '.',
  '. ',
];
const phrases = [
  'not ',
  'use ',
  'for a, ',
  'For a, see ',
  '# not use ',
  'DO NOT USE: ',
  'WHEN ',
  'not when ',
  '!',
];
test('fields: many marks are read in time that grows with them alone', () => {
  for (const unit of [...units, ...phrases]) {
    for (const start of ['', '# ', 'For ', '> ```', '[a](']) {
      const text = start + unit.repeat(Math.ceil(120_000 / unit.length));
      finished(`${start}${unit}…`, () =>
        partsOf({ name: text, description: text, whenToUse: text, body: text }),
      );
    }
  }
});
