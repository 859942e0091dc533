import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finished } from '../../../test/support/deadline.ts';
import { probedSkills } from '../../../test/support/ranked-skills.ts';
import type { Searchable } from './fields.ts';
import { Ranker, type Ranked, type RankOptions } from './ranker.ts';

/** Creates a ranker of skills with their names. */
function rankerOf(skills: readonly Searchable[]): Ranker {
  const ranker = new Ranker();
  for (const skill of skills) ranker.add(skill.name, skill);
  return ranker;
}

function skill(name: string, description: string, body = ''): Searchable {
  return { name, description, body };
}

const keysOf = (ranked: readonly Ranked[]): readonly string[] => ranked.map(({ key }) => key);
const order = (ranker: Ranker, prompt: string, options?: RankOptions): readonly string[] =>
  keysOf(ranker.rank(prompt, options).ranked);

const everything = rankerOf(probedSkills);
const prompt =
  'convert a table of invoices to JSON, draw a chart for the meeting, test the page and plan the release';

test('rank: the same question has the same answer, and a ranker of the same skills gives it too', () => {
  const first = everything.rank(prompt, { limit: 100 });
  assert.deepEqual(everything.rank(prompt, { limit: 100 }), first);
  assert.deepEqual(rankerOf(probedSkills).rank(prompt, { limit: 100 }), first);
});

test('rank: scores are above 0 and at most 1, and fall', () => {
  for (const { probe } of probedSkills) {
    const scores = everything.rank(probe, { limit: 100 }).ranked.map(({ score }) => score);
    assert.ok(scores.every((score) => score > 0 && score <= 1));
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
  }
});

test('rank: what is equal comes in the order of the keys', () => {
  const ranker = new Ranker();
  const same = skill('table', 'Sorts rows.');
  for (const key of ['c', 'a', 'b']) ranker.add(key, { ...same, description: `Sorts rows ${key.repeat(3)}` });
  assert.deepEqual(order(ranker, 'sort the rows of the table'), ['a', 'b', 'c']);
});

test('rank: only the skills asked for are candidates', () => {
  const among = (key: string): boolean => key.includes('a');
  const keys = order(everything, prompt, { among, limit: 100 });
  assert.ok(keys.length > 3);
  assert.ok(keys.every(among));
  assert.deepEqual(order(everything, prompt, { among: () => false }), []);
});

test('rank: a limit cuts the answer and changes nothing else', () => {
  const all = everything.rank(prompt, { limit: 1_000_000 }).ranked;
  assert.ok(all.length > 10);
  for (const limit of [0, 1, 2, 7])
    assert.deepEqual(everything.rank(prompt, { limit }).ranked, all.slice(0, limit));
  assert.deepEqual(everything.rank(prompt).ranked, all.slice(0, 10));
  assert.deepEqual(everything.rank(prompt, { limit: Infinity }).ranked, all);
});

test('rank: an order of many skills names all that share a word', () => {
  const skills = Array.from({ length: 300 }, (_, index) =>
    skill(`s${index}`, `Sorts ${'abcdefgh'[index % 8]}${index}.`),
  );
  assert.equal(order(rankerOf(skills), 'sort', { limit: 1000 }).length, 300);
});

const empty = ['', '   \n\t ', 'the of and with', '?!…', '😀', '\ud83d', '\u200b\u202e', '#', '```'];
for (const each of empty) {
  test(`rank: ${JSON.stringify(each)} asks for nothing`, () => {
    assert.deepEqual(everything.rank(each).ranked, []);
    assert.deepEqual(new Ranker().rank(each).ranked, []);
  });
}

test('rank: without skills there are no candidates, before and after there were some', () => {
  const ranker = new Ranker();
  assert.deepEqual(ranker.rank(prompt).ranked, []);
  ranker.add('a', skill('table', 'Sorts rows.'));
  ranker.remove('a');
  ranker.remove('a');
  assert.deepEqual(ranker.rank('table').ranked, []);
  assert.ok(ranker.rank('table').threshold > 0);
  assert.deepEqual(ranker.keys(), []);
});

test('rank: a prompt of a megabyte is read', () => {
  const long = [`${prompt} `.repeat(20_000), 'x'.repeat(2 ** 20), '字'.repeat(2 ** 20), ' '.repeat(2 ** 20)];
  for (const each of long) finished(each.slice(0, 20), () => everything.rank(each));
  assert.deepEqual(
    order(everything, `${prompt} `.repeat(20_000)).slice(0, 1),
    order(everything, prompt).slice(0, 1),
  );
});

test('rank: hidden characters between words do not hide the words', () => {
  const found = order(everything, 'draw \u200b\u202ea\u{e0041} bar\u0000 chart\ufeff');
  assert.equal(found[0], 'chart-maker');
});

test('rank: why are words of the prompt as they are written there', () => {
  const [best] = everything.rank('Please TRANSCRIBE these Recordings: audio-files of Speakers.').ranked;
  assert.equal(best?.key, 'audio-transcribe');
  assert.ok(best.why.includes('transcribe') && best.why.includes('speakers'));
  for (const { probe } of probedSkills) {
    for (const { why } of everything.rank(probe).ranked) {
      assert.ok(why.length <= 6);
      assert.equal(new Set(why).size, why.length);
      for (const word of why) assert.ok(probe.toLowerCase().includes(word), `${word} in ${probe}`);
    }
  }
});

test('rank: a skill that the prompt names wins over one that has the words in its body', () => {
  const body = 'An invoice generator writes an invoice. Generator of each invoice.\n'.repeat(5);
  const ranker = rankerOf([
    skill('invoice-generator', 'Bills customers for their orders.'),
    skill('accounting', 'Keeps the books of a company in order.', body),
  ]);
  for (const name of ['invoice-generator', 'invoice generator', 'INVOICE_GENERATOR', 'InvoiceGenerator'])
    assert.equal(order(ranker, `run ${name} for last month`)[0], 'invoice-generator', name);
});

test('rank: a skill is found by its name alone, whatever joins its words', () => {
  const names = ['csv-to-json', 'csv_to_json', 'csvToJson', 'CSV to JSON', 'csv.to.json', 'csv/to/json'];
  for (const name of names) assert.equal(order(everything, name)[0], 'csv-to-json', name);
});

test('rank: a skill without a description and a body is found by its name', () => {
  const ranker = rankerOf([skill('weather', ''), skill('news', '')]);
  const { ranked } = ranker.rank('how is the weather');
  assert.deepEqual(keysOf(ranked), ['weather']);
  assert.ok((ranked[0]?.score ?? 0) > 0);
});

test('rank: skills without any words are never candidates and never in the way', () => {
  const ranker = rankerOf([
    skill('', ''),
    skill('weather', 'Tells the weather.'),
    { ...skill('the', 'of'), whenToUse: '' },
  ]);
  assert.deepEqual(order(ranker, 'weather'), ['weather']);
});

test('rank: when-to-use counts as the description does', () => {
  const ranker = rankerOf([
    { ...skill('a', 'Does its work.'), whenToUse: 'A customer complains about a delivery.' },
    { ...skill('b', 'Does its work well.'), whenToUse: undefined },
  ]);
  assert.deepEqual(order(ranker, 'a customer complained'), ['a']);
});

test('rank: a huge single word in a skill neither takes long nor is found', () => {
  const long = 'x'.repeat(1_000_000);
  const ranker = finished('adding', () => rankerOf([skill('long', `Sorts ${long} rows.`, long)]));
  assert.deepEqual(order(ranker, 'sort rows'), ['long']);
  assert.deepEqual(order(ranker, long), []);
});

test('rank: what a skill says about others does not make it a candidate', () => {
  const ranker = rankerOf([
    skill('docs', 'Writes documents. Do not use for spreadsheets. For slides, see decks.'),
    skill('sheets', 'Makes spreadsheets.'),
  ]);
  assert.deepEqual(order(ranker, 'a spreadsheet'), ['sheets']);
  assert.deepEqual(order(ranker, 'slides'), []);
});

const victim = skill(
  'release-notes',
  'Collects merged changes since the latest tag and writes release notes for customers, grouped by area.',
);
const second = skill('changelog', 'Keeps a file with changes of every release.');
const third = skill('parcels', 'Weighs parcels for customers.');
const asked = 'write release notes with the changes merged since the last tag, for our customers';

for (const [what, word, ranks] of [
  ['exact', 'merged', 1],
  ['with one word changed', 'accepted', 2],
] as const) {
  test(`rank: twenty clones of a skill, ${what}, take ${ranks} of the places`, () => {
    const before = order(rankerOf([victim, second, third]), asked);
    assert.deepEqual(before, ['release-notes', 'changelog', 'parcels']);
    const clones = Array.from({ length: 20 }, (_, index) =>
      skill(`release-notes-${index}`, victim.description.replace('merged', word)),
    );
    const ranked = order(rankerOf([...clones, victim, second, third]), asked, { limit: 30 });
    assert.ok(ranked[0]?.startsWith('release-notes'));
    assert.deepEqual(new Set(ranked.slice(ranks, ranks + 2)), new Set(['changelog', 'parcels']));
    assert.equal(ranked.length, 23);
  });
}

test('rank: a key that is taken out and put in again under another text has only the new text', () => {
  const ranker = rankerOf([skill('a', 'Sorts rows.'), skill('b', 'Draws charts.')]);
  ranker.remove('a');
  ranker.add('a', skill('a', 'Bakes bread.'));
  assert.deepEqual(order(ranker, 'sort rows'), []);
  assert.deepEqual(order(ranker, 'bake bread'), ['a']);
  assert.deepEqual(ranker.keys().toSorted(), ['a', 'b']);
});

test('rank: it counts what was added and removed since its index was stored', () => {
  const ranker = new Ranker();
  for (let index = 0; index < 100; index++) ranker.add(`${index}`, skill(`s${index}`, 'Sorts.'));
  assert.equal(ranker.changes, 100);
  for (let index = 0; index < 80; index++) ranker.remove(`${index}`);
  assert.equal(ranker.changes, 180);
});
