import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { WordEmbedder } from '../../../test/support/embedder.ts';
import { finished } from '../../../test/support/deadline.ts';
import { rankedFolder } from '../../../test/support/ranking.ts';
import { skillsAt } from '../../../test/support/skills.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { defineSkill } from '../../core/define-skill.ts';
import { isGeneralQuestion } from './request.ts';
import { partsOf } from './fields.ts';
import { SkillVectors } from './embeddings.ts';
import { Ranker } from './ranker.ts';
import { VectorCache } from './vector-cache.ts';
import { termsOf } from './words.ts';

const purpose = (description: string): readonly string[] =>
  partsOf({ name: 'x', description, body: '' }).terms.description;
const bodyTerms = (body: string): readonly string[] =>
  partsOf({ name: 'x', description: 'y', body }).terms.body;

test('an edited skill is missing in the answer to a prompt that was being read', async () => {
  using folder = tree({
    'skills/a/SKILL.md': skillText('a', 'Draws zebras.'),
    'skills/b/SKILL.md': skillText('b'),
  });
  const embedder = new WordEmbedder();
  const { skills, look } = rankedFolder(folder.path, { openEmbedder: () => embedder });
  await skills.awaitMeanings();
  const release = embedder.hold();
  const asked = skills.rank('zebras');
  await pause(5);
  folder.write('skills/a/SKILL.md', skillText('a', 'Draws zebras well.'));
  look();
  await skills.rank('lions');
  release();
  assert.equal((await asked).candidates[0]?.name, 'a');
});

test('a worn ranking learns everything again', async () => {
  const embedder = new WordEmbedder();
  const skills = skillsAt(undefined, { embedder });
  skills.register(defineSkill({ name: 'stays', description: 'Stays zebra.', instructions: 'x' }));
  for (const round of [1, 2, 3, 4]) {
    for (let n = 0; n < 80; n++)
      skills.replace(
        defineSkill({ name: `s${n}`, description: `Does thing${n} in${round}.`, instructions: 'x' }),
      );
    await skills.awaitMeanings();
  }
  assert.equal(embedder.learned.filter((text) => text === 'Stays zebra.').length, 1);
});

test('an encoder that cannot be opened makes rank reject', async () => {
  using folder = tree({ 'skills/a/SKILL.md': skillText('a', 'Draws zebras.') });
  const openEmbedder = (): never => {
    throw new Error('no room');
  };
  const { skills } = rankedFolder(folder.path, { openEmbedder });
  assert.equal((await skills.rank('zebras')).candidates.length, 1);
  assert.equal(skills.diagnostics()[0]?.code, 'rank.by-words');
});

test('an encoder that gives too few vectors is asked for ever', async () => {
  using folder = tree({ 'skills/a/SKILL.md': skillText('a', 'Draws zebras.') });
  const embedder = new WordEmbedder();
  let calls = 0;
  embedder.embed = async () => {
    if (++calls > 100) throw new Error('endless');
    return [];
  };
  await rankedFolder(folder.path, { openEmbedder: () => embedder }).skills.awaitMeanings();
  assert.equal(calls, 1);
});

test('a remark about the cache stays after the cache could be written', async () => {
  using folder = tree({ 'skills/a/SKILL.md': skillText('a', 'Draws zebras.') });
  const cacheFolder = folder.write('cache', '');
  const { skills, look } = rankedFolder(folder.path, { openEmbedder: () => new WordEmbedder(), cacheFolder });
  await skills.awaitMeanings();
  assert.equal(skills.diagnostics().length, 1);
  rmSync(cacheFolder);
  folder.write('skills/b/SKILL.md', skillText('b', 'Bakes bread.'));
  look();
  await skills.awaitMeanings();
  assert.deepEqual(skills.diagnostics(), []);
});

test('a skill that is replaced with another when-to-use is found by the old one', async () => {
  const skills = skillsAt();
  for (const [whenToUse, prompt] of [
    ['Zebras come.', 'zebras'],
    ['Lions come.', 'lions'],
  ] as const) {
    skills.replace(defineSkill({ name: 'a', description: 'Does it.', whenToUse, instructions: 'x' }));
    assert.equal((await skills.rank(prompt)).candidates.length, 1);
  }
  assert.equal((await skills.rank('zebras')).candidates.length, 0);
});

test('many skills that go before their meanings are known keep everything waiting', () => {
  const ranker = new Ranker(new SkillVectors(new WordEmbedder(), new VectorCache(undefined, 64, 'x')));
  const many = 40_000;
  for (let n = 0; n < many; n++)
    ranker.add(`${n}`, { name: `s${n}`, description: `does ${n}`, body: `body ${n}` });
  finished('removing', () => {
    for (let n = 0; n < many; n++) ranker.remove(`${n}`);
  });
});

test('a question with one long word takes seconds', () => {
  for (const unit of ['a', 'a-', '_'])
    finished(unit, () => isGeneralQuestion(`What is ${unit.repeat(1_000_000)}`));
});

test('words of a skill that is gone push others out of a long prompt', () => {
  const junk = Array.from({ length: 100 }, (_, n) => `junk${n}`).join(' ');
  const [used, fresh] = [new Ranker(), new Ranker()];
  for (const ranker of [used, fresh])
    for (let n = 0; n < 5; n++)
      ranker.add(`k${n}`, { name: `k${n}`, description: `Draws zebras n${n}x.`, body: '' });
  used.add('gone', { name: 'gone', description: '', body: junk });
  used.remove('gone');
  assert.deepEqual(used.rank(`${junk} draw zebras`), fresh.rank(`${junk} draw zebras`));
});

test('which of many equal skills are candidates depends on the order of adding', () => {
  const keys = Array.from({ length: 70 }, (_, n) => `k${n + 10}`);
  const [forwards, backwards] = [new Ranker(), new Ranker()];
  for (const key of keys) forwards.add(key, { name: 'same', description: 'Draws zebras', body: '' });
  for (const key of keys.toReversed())
    backwards.add(key, { name: 'same', description: 'Draws zebras', body: '' });
  assert.deepEqual(backwards.rank('zebras').ranked, forwards.rank('zebras').ranked);
});

test('"DO NOT USE FOR:" is read as what a skill is for', () => {
  for (const sentence of ['DO NOT USE FOR: spreadsheets.', 'DO NOT USE WHEN: spreadsheets.'])
    for (const before of ['Reads forms. ', 'Reads forms '])
      assert.deepEqual(purpose(before + sentence), termsOf('reads forms'), sentence);
  assert.deepEqual(
    purpose('Reads forms USE FOR: filling. WHEN: blanks.'),
    termsOf('reads forms filling blanks'),
  );
});

test('"For X, use this skill" is left out', () => {
  for (const sentence of [
    'For PDF files, use this skill.',
    'For teams who use Jira.',
    'For slow queries, use it.',
  ])
    assert.ok(purpose(`Reads forms. ${sentence}`).length > 2, sentence);
});

test('a section about what does not work, or is related to something, is left out', () => {
  for (const heading of [
    'Fix CI-related failures',
    'When builds do not compile',
    'For pages that do not load',
  ])
    assert.ok(bodyTerms(`# ${heading}\n\nzebra`).includes('zebra'), heading);
  for (const heading of [
    'When NOT to use',
    'When to avoid this skill',
    'Avoid when',
    'When should you not use this',
  ])
    assert.ok(!bodyTerms(`# ${heading}\n\nzebra`).includes('zebra'), heading);
});

test('Latin words beside letters of other scripts are not found', () => {
  const ranker = new Ranker();
  ranker.add('zh', { name: 'a', description: '将PDF文件转换为Word文档', body: '' });
  ranker.add('ja', { name: 'b', description: 'ExcelファイルをCSVに変換', body: '' });
  ranker.add('ko', { name: 'k', description: 'YAML를 JSON으로 변환', body: '' });
  for (const [prompt, key] of [
    ['convert PDF to Word', 'zh'],
    ['an excel file as csv', 'ja'],
    ['yaml', 'ko'],
  ] as const)
    assert.equal(ranker.rank(prompt).ranked[0]?.key, key);
});

test('marks of headings count as words', () => {
  assert.deepEqual(termsOf('## Table ### + ++ row'), termsOf('table row'));
});

test('repeating a word in a description gains something', () => {
  assert.deepEqual(purpose('invoice '.repeat(9)), purpose('invoice'));
  assert.deepEqual(purpose('convert invoice tables '.repeat(9)), purpose('convert invoice tables'));
});

test('a copy with more words takes the place of the original', () => {
  const ranker = new Ranker();
  const description =
    'Collects merged changes since the latest tag and writes release notes for customers, grouped by area.';
  const asked = 'write release notes with the changes merged since the last tag';
  ranker.add('original', { name: 'release-notes', description, body: '# Notes\n\nWrite them.' });
  ranker.add('copy', {
    name: 'write-release-notes',
    description: `${description} Fast.`,
    body: `# ${asked}\n\n${asked}`,
  });
  for (let n = 0; n < 15; n++)
    ranker.add(`o${n}`, { name: `o${n}`, description: `Changes thing${n} stuff${n}.`, body: '' });
  assert.ok(ranker.rank(asked).ranked.some(({ key }) => key === 'original'));
});

const others = Array.from({ length: 12 }, (_, n) => ({
  name: `app-tool-${n}`,
  description: `Tunes part ${n} of an application in way ${n}.`,
  body: '',
}));

function rankerOf(...skills: readonly { name: string; description: string; body: string }[]): Ranker {
  const ranker = new Ranker();
  for (const skill of skills) ranker.add(skill.name, skill);
  return ranker;
}

test('of two skills that differ in one word the other one is named', () => {
  const deploy = (where: string): { name: string; description: string; body: string } => ({
    name: `deploy-${where}`,
    description: `Deploy the web application to the ${where} cluster with health checks, rollback, notifications, logs and metrics.`,
    body: '',
  });
  const ranker = rankerOf(deploy('staging'), deploy('production'), ...others);
  for (const prompt of ['deploy-production', 'deploy the web application to the production cluster'])
    assert.equal(ranker.rank(prompt).ranked[0]?.key, 'deploy-production', prompt);
});

test('a shorter copy takes the place of the skill that is asked for', () => {
  const description =
    'Create PDF documents from Markdown, with a table of contents, page numbers and a cover page.';
  const ranker = rankerOf(
    { name: 'pdf-maker', description, body: '# PDF\n\nMake a document from Markdown.' },
    { name: 'evil', description: description.replace(' and a cover page', ''), body: '' },
    ...others,
  );
  for (const prompt of ['use pdf-maker to create a PDF', 'create a PDF document from my Markdown notes'])
    assert.equal(ranker.rank(prompt).ranked[0]?.key, 'pdf-maker', prompt);
});

test('scores rise after near-duplicates', () => {
  const clones = Array.from({ length: 5 }, (_, n) => ({
    name: `copy-${n}`,
    description: 'Creates invoices from orders and sends them to customers every month.',
    body: '',
  }));
  const scores = rankerOf(...clones, ...others)
    .rank('create the invoices for this month', { limit: 50 })
    .ranked.map(({ score }) => score);
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
});

test('whether nothing fits depends on how many are to be named', async () => {
  using folder = tree({ 'skills/a/SKILL.md': skillText('a', 'Draws zebras for children and their books.') });
  const { skills } = rankedFolder(folder.path, {});
  const { abstain } = await skills.rank('draw zebras for a book for children');
  assert.equal((await skills.rank('draw zebras for a book for children', { limit: 0 })).abstain, abstain);
  for (const limit of [-1, Number.NaN])
    await assert.rejects(skills.rank('zebras', { limit }), { code: 'usage.bad-input' });
});

test('ranking after the end starts the encoder', async () => {
  using folder = tree({ 'skills/a/SKILL.md': skillText('a', 'Draws zebras.') });
  const { skills, ranking } = rankedFolder(folder.path, { openEmbedder: () => assert.fail('opened') });
  await ranking.close();
  assert.equal((await skills.rank('zebras')).by, 'words');
});

test('an encoder that fails once is never asked again', async () => {
  using folder = tree({ 'skills/a/SKILL.md': skillText('a', 'Draws zebras.') });
  const embedder = new WordEmbedder();
  const { skills } = rankedFolder(folder.path, { openEmbedder: () => embedder });
  embedder.failure = new Error('hiccup');
  await skills.awaitMeanings();
  assert.equal(skills.diagnostics().length, 1);
  embedder.failure = undefined;
  assert.equal(await skills.awaitMeanings(), 0);
  assert.equal((await skills.rank('zebras')).by, 'meaning');
  assert.deepEqual(skills.diagnostics(), []);
});

test('a catalog that shows everything asks the ranking', async () => {
  using folder = tree({ 'skills/a/SKILL.md': skillText('a', 'Draws zebras.') });
  const { skills } = rankedFolder(folder.path, { openEmbedder: () => assert.fail('opened') });
  assert.equal((await skills.catalog({ request: 'zebras' })).omitted.length, 0);
});
