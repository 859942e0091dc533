import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleOfText, nowhere } from './bundle.ts';
import { readSections, type Sections } from './sections.ts';

const names = {
  description: ['Summary'],
  prompt: ['System-Prompt'],
  'allowed-skills': ['Skill Allowlist', 'Skills'],
} as const;
type Key = keyof typeof names;

const read = (text: string): Sections<Key> => readSections(bundleOfText(text, nowhere), names);
const codes = (sections: Sections<Key>): readonly string[] =>
  sections.issues.map((issue) => `${issue.code}:${issue.line ?? '-'}`);

test('title, preamble and sections with their lines', () => {
  const sections = read(
    '---\nname: x\n---\n\n# My Skill\n\nIntro.\n\n## Description\n\nDoes it.\n\n## Prompt\nline 1\n\n  line 2\n',
  );
  assert.deepEqual([sections.title, sections.titleLine, sections.preamble], ['My Skill', 5, 'Intro.']);
  assert.deepEqual(sections.get('description'), {
    key: 'description',
    text: 'Does it.',
    line: 9,
    textLine: 11,
    inner: [],
  });
  assert.deepEqual(sections.get('prompt'), {
    key: 'prompt',
    text: 'line 1\n\n  line 2',
    line: 13,
    textLine: 14,
    inner: [],
  });
  assert.equal(sections.get('allowed-skills'), undefined);
  assert.deepEqual(sections.issues, []);
});

test('headings are compared without case; blank, hyphen and underscore alike; marks do not count', () => {
  for (const heading of [
    'Allowed Skills',
    'allowed-skills',
    'ALLOWED_SKILLS',
    '**Allowed Skills:**',
    '🎯 Allowed Skills',
    'Skill-Allowlist',
    'skills',
  ]) {
    assert.equal(read(`# T\n## ${heading}\n- a`).get('allowed-skills')?.text, '- a', heading);
  }
});

test('an empty section is present and empty, an absent one is absent', () => {
  for (const text of [
    '# T\n## Allowed Skills\n',
    '# T\n## Allowed Skills\n\n\n## Prompt\nx',
    '# T\n## Allowed Skills',
    '## Allowed Skills\n## Prompt',
  ]) {
    assert.equal(read(text).get('allowed-skills')?.text, '', text);
  }
  assert.equal(read('# T\n## Prompt\n').get('allowed-skills'), undefined);
});

test('an unknown section is reported with its line and the nearest known one, and ends the one before', () => {
  const sections = read('# T\n\n## Promt\nx\n\n## Prompt\ny\n\n## Zebra\nz\n');
  assert.deepEqual(
    sections.issues.map(({ code, line, hint }) => [code, line, hint]),
    [
      ['section.unknown', 3, 'Did you mean "prompt"?'],
      ['section.unknown', 9, undefined],
    ],
  );
  assert.equal(sections.get('prompt')?.text, 'y');
});

test('a section given again is added to the first, with a finding', () => {
  const sections = read('# T\n## Prompt\none\n## Description\nd\n## System Prompt\ntwo\n### Inner\nthree\n');
  assert.equal(sections.get('prompt')?.text, 'one\n\ntwo\n### Inner\nthree');
  assert.deepEqual(
    sections.get('prompt')?.inner.map((heading) => heading.title),
    ['Inner'],
  );
  assert.deepEqual(codes(sections), ['section.repeated:6']);
  assert.match(sections.issues[0]?.message ?? '', /line 2/);
});

test('deeper headings belong to their section, as text and as headings', () => {
  const sections = read('# T\n## Prompt\n\n### Step\na\n#### Part\nb\n\n## Description\nd');
  const prompt = sections.get('prompt');
  assert.equal(prompt?.text, '### Step\na\n#### Part\nb');
  assert.equal(prompt.textLine, 4);
  assert.deepEqual(
    prompt.inner.map(({ level, title, text, line }) => [level, title, text, line]),
    [
      [3, 'Step', 'a', 4],
      [4, 'Part', 'b', 6],
    ],
  );
});

test('the raw text of a section is kept as it was written', () => {
  const raw =
    '```js\n# not a heading\n```\n\n> ## quoted\n\n\t- **bold**   x\\\n<!--\n## hidden\n-->\n&amp; $1';
  assert.equal(read(`# T\n## Prompt\n\n${raw}\n\n## Description\nd`).get('prompt')?.text, raw);
});

test('sections may be at a deeper level, or all at the first', () => {
  assert.equal(read('# T\n### Prompt\nx\n#### More\ny').get('prompt')?.text, 'x\n#### More\ny');
  const flat = read('# T\n# Prompt\nx\n# Description\ny');
  assert.deepEqual([flat.title, flat.get('prompt')?.text, flat.get('description')?.text], ['T', 'x', 'y']);
});

test('a section before any title is a section, and a deeper heading before the first section is one too', () => {
  const sections = read('# Prompt\nx\n## Description\ny');
  assert.deepEqual(
    [sections.title, sections.get('prompt')?.text, sections.get('description')?.text],
    ['', 'x', 'y'],
  );
  assert.deepEqual(codes(read('# T\n### Note\nlost\n## Prompt\nx')), ['section.unknown:2']);
});

test('a title alone is a document', () => {
  const sections = read('# Only a Title\n\nSome text.');
  assert.deepEqual([sections.title, sections.preamble, codes(sections)], ['Only a Title', 'Some text.', []]);
  assert.deepEqual([read('').title, read('').titleLine, read('just text').preamble], ['', 1, 'just text']);
});

test('setext headings open sections', () => {
  assert.equal(read('My Skill\n===\n\nPrompt\n------\nx').get('prompt')?.text, 'x');
});

test('sections named like members of every object are unknown, nothing else', () => {
  const sections = read('# T\n## constructor\nx\n## __proto__\ny\n## toString\nz');
  assert.deepEqual(codes(sections), ['section.unknown:2', 'section.unknown:4', 'section.unknown:6']);
});

test('a file full of headings does not flood the findings', () => {
  const sections = read(`# T\n${'## odd one\n'.repeat(1000)}${'## Prompt\nx\n'.repeat(1000)}`);
  assert.equal(sections.issues.length, 102);
  assert.match(sections.issues[50]?.message ?? '', /950 more/);
  assert.equal(sections.get('prompt')?.text.length, 1000 + 999 * 2);
});

test('CRLF and a BOM change nothing', () => {
  const sections = read('\ufeff# T\r\n\r\n## Prompt\r\nx\r\ny\r\n');
  assert.deepEqual(
    [sections.title, sections.get('prompt')?.text, sections.get('prompt')?.line],
    ['T', 'x\ny', 3],
  );
});
