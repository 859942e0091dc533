import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bundleOfText, type DescriptorLocation } from '../../core/descriptor/bundle.ts';
import type { Parsed } from '../../core/family.ts';
import type { AgentSkillDefinition } from './parse.ts';
import { parse } from './parse.ts';

const location: DescriptorLocation = { dir: '/s/demo', file: '/s/demo/SKILL.md', stem: 'demo', loose: false };
const read = (text: string): Parsed<AgentSkillDefinition> => parse(bundleOfText(text, location));
const found = (text: string): readonly string[] =>
  read(text).issues.map((issue) => `${issue.level} ${issue.code}:${issue.line}`);

describe('scalars stay as written', () => {
  for (const name of ['NO', 'yes', 'true', '1.10', '007', '0x10', '1e3', '2024-01-01', '.inf', '12:30:00']) {
    test(`name: ${name}`, () => {
      assert.equal(read(`---\nname: ${name}\ndescription: d\n---\n`).name, name);
    });
  }

  test('versions and dates in metadata', () => {
    const { metadata } = read(
      '---\ndescription: d\nmetadata:\n  version: 1.10\n  date: 2024-01-01\n  on: yes\n---\n',
    ).card;
    assert.deepEqual(metadata, { version: '1.10', date: '2024-01-01', on: 'yes' });
  });

  test('a written null is not a value', () => {
    assert.equal(read('---\nname: null\ndescription: d\n---\n').name, '');
    assert.equal(read('---\nname: "null"\ndescription: d\n---\n').name, 'null');
  });
});

describe('frontmatter is data', () => {
  test('anchors and aliases are read as plain text, with a finding', () => {
    const text = '---\nname: demo\ndescription: &d Some text\nwhen_to_use: *d\n---\n';
    const { card } = read(text);
    assert.equal(card.description, '&d Some text');
    assert.equal(card.whenToUse, '*d');
    assert.deepEqual(found(text), ['warning frontmatter.repaired:3', 'warning frontmatter.repaired:4']);
  });

  test('tags are read as plain text, with a finding', () => {
    const text = '---\nname: !!str demo\ndescription: !custom text\n---\n';
    assert.equal(read(text).name, '!!str demo');
    assert.equal(read(text).card.description, '!custom text');
    assert.deepEqual(found(text), [
      'warning frontmatter.repaired:2',
      'warning frontmatter.repaired:3',
      'warning name.form:2',
    ]);
  });

  test('merge keys do not merge', () => {
    assert.ok(!('whenToUse' in read('---\ndescription: d\n<<: {when_to_use: x}\n---\n').card));
  });

  test('a head in another language is never executed and never read', () => {
    const text = '---js\nmodule.exports = { name: "x", description: "y" }\n---\n\nThe body.\n';
    const { name, card, definition } = read(text);
    assert.equal(name, '');
    assert.equal(card.description, 'The body.');
    assert.notEqual(definition, undefined);
    assert.deepEqual(found(text).slice(0, 2), [
      'warning frontmatter.language:1',
      'warning description.derived:5',
    ]);
  });

  test('a head marked as yaml is read, with a finding', () => {
    const text = '---yaml\nname: demo\ndescription: d\n---\n';
    assert.equal(read(text).name, 'demo');
    assert.deepEqual(found(text), ['warning frontmatter.language:1']);
  });

  test('keys that reach a prototype are dropped, with a finding', () => {
    const text = '---\nname: n\ndescription: d\nmetadata:\n  __proto__: {a: b}\n  constructor: c\n---\n';
    assert.deepEqual(read(text).card.metadata, {});
    assert.deepEqual(
      found(text).map((line) => line.split(':')[0]),
      ['warning frontmatter.dropped', 'warning frontmatter.dropped'],
    );
  });

  test('a key given twice counts once, the first time, with a finding', () => {
    const text = '---\nname: one\nname: two\ndescription: d\nDescription: e\n---\n';
    assert.equal(read(text).name, 'one');
    assert.equal(read(text).card.description, 'd');
    assert.deepEqual(
      read(text).issues.map((issue) => issue.code),
      ['frontmatter.repeated', 'frontmatter.repeated'],
    );
  });

  test('hidden characters in what a model is shown are reported', () => {
    assert.deepEqual(found('---\nname: a\ndescription: plain\u202etxet\n---\n'), [
      'warning description.hidden:3',
    ]);
    assert.deepEqual(found('---\nname: a\ndescription: ok\nwhen_to_use: a\u200bb\n---\n').length, 1);
  });
});
