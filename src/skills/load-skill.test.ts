import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { skillsAt } from '../../test/support/skills.ts';
import { skillText, tree } from '../../test/support/tree.ts';
import { builtinFamilies } from '../families/index.ts';
import { loadSkillFrom, parseSkillText, type LoadedSkill, type LoadOptions } from './load-skill.ts';

function load(path: string, options: LoadOptions = {}): LoadedSkill {
  return loadSkillFrom(path, options, builtinFamilies);
}

function parse(text: string, options: LoadOptions = {}): LoadedSkill {
  return parseSkillText(text, options, builtinFamilies);
}

describe('a folder is loaded strictly', () => {
  test('its skill has a name, a card, a place', () => {
    using files = tree({ 'release/SKILL.md': skillText('release', 'Makes releases.') });
    const skill = load(files.at('release'));
    assert.equal(skill.name, 'release');
    assert.equal(skill.family, 'agent-skill');
    assert.equal(skill.card.description, 'Makes releases.');
    assert.equal(skill.dir, files.at('release'));
    assert.equal(skill.file, files.at('release/SKILL.md'));
    assert.deepEqual(skill.issues, []);
  });

  test('without a name it has that of the folder', () => {
    using files = tree({ 'my-tool/SKILL.md': '---\ndescription: Does it.\n---\nDo it.\n' });
    assert.equal(load(files.at('my-tool/')).name, 'my-tool');
  });

  test('a name that is not the folder is refused', () => {
    using files = tree({ 'one/SKILL.md': skillText('two'), 'Three/SKILL.md': skillText('three') });
    assert.throws(() => load(files.at('one')), { code: 'skill.invalid', message: /"two".*"one"/ });
    assert.throws(() => load(files.at('Three')), { code: 'skill.invalid' });
  });

  test('a composed and a decomposed accent are the same name', () => {
    using files = tree({ 'cafe\u0301/SKILL.md': skillText('café') });
    assert.equal(load(files.at('cafe\u0301')).name, 'café');
  });

  test('a missing description is refused', () => {
    using files = tree({
      'a/SKILL.md': '---\nname: a\n---\nDo it.\n',
      'b/SKILL.md': '---\nname: b\ndescription: ""\n---\nDo it.\n',
    });
    assert.throws(() => load(files.at('a')), { code: 'skill.invalid', message: /no description/ });
    assert.throws(() => load(files.at('b')), { code: 'skill.invalid' });
  });

  test('the name cannot be another by option, only the same', () => {
    using files = tree({ 'a/SKILL.md': '---\ndescription: Does it.\n---\nDo it.\n' });
    assert.equal(load(files.at('a'), { name: 'a' }).name, 'a');
    assert.throws(() => load(files.at('a'), { name: 'b' }), { code: 'skill.invalid' });
  });

  test('descriptors of every family are known, in any letter case', () => {
    using files = tree({
      'a/skill.md': skillText('a'),
      'jobs/cskill.md': '# jobs\n\n## Description\n\nCounts jobs.\n\n## Input Format\n\nText.\n',
    });
    assert.equal(load(files.at('a')).family, 'agent-skill');
    assert.equal(load(files.at('jobs')).family, 'code-skill');
  });

  test('a folder without a descriptor says which files make one', () => {
    using files = tree({ 'a/notes.md': '' });
    assert.throws(() => load(files.at('a')), { code: 'skill.not-found', hint: /SKILL\.md.*cskill\.md/ });
  });
});

describe('a file is loaded leniently', () => {
  test('its stem names it, and its first line describes it', () => {
    using files = tree({ 'My Notes.md': '# Heading\n\nKeeps notes.\n' });
    const skill = load(files.at('My Notes.md'));
    assert.equal(skill.name, 'my-notes');
    assert.equal(skill.card.description, 'Keeps notes.');
    assert.equal(skill.card.listed, undefined, 'whoever loads a skill wants to see it');
    assert.ok(skill.issues.every((issue) => issue.file === files.at('My Notes.md')));
  });

  test('its name may differ from its stem, and the option goes first', () => {
    using files = tree({ 'x.md': skillText('declared') });
    assert.equal(load(files.at('x.md')).name, 'declared');
    assert.equal(load(files.at('x.md'), { name: 'given' }).name, 'given');
    for (const name of ['', 'Not Valid', 'a--b', '-a', 'a_b']) {
      assert.throws(() => load(files.at('x.md'), { name }), { code: 'skill.invalid' }, name);
    }
  });

  test('a descriptor named directly may be named unlike its folder', () => {
    using files = tree({ 'one/SKILL.md': skillText('two') });
    assert.equal(load(files.at('one/SKILL.md')).name, 'two');
  });

  test('a link that the caller names is followed', () => {
    using files = tree({ 'real.md': skillText('real') });
    symlinkSync(files.at('real.md'), files.at('link.md'));
    assert.equal(load(files.at('link.md')).name, 'real');
  });

  test('other files, an empty text and a pipe are refused', () => {
    using files = tree({
      'notes.txt': skillText('a'),
      'empty.md': '',
      'big.md': `${skillText('a')}${'x'.repeat(256_000)}`,
    });
    execFileSync('mkfifo', [files.at('pipe.md')]);
    assert.throws(() => load(files.at('notes.txt')), { code: 'usage.bad-input' });
    assert.throws(() => load(files.at('missing.md')), { code: 'usage.not-found' });
    assert.throws(() => load(files.at('empty.md')), { code: 'skill.invalid' });
    assert.throws(() => load(files.at('big.md')), {
      code: 'skill.invalid',
      message: /larger than 256000 bytes/,
    });
    assert.throws(() => load(files.at('pipe.md')), { code: 'skill.invalid', message: /regular file/ });
  });
});

describe('text in memory', () => {
  test('must have a name and a body', () => {
    const skill = parse(skillText('a'));
    assert.equal(skill.name, 'a');
    assert.deepEqual([skill.dir, skill.file], ['', '']);
    assert.throws(() => parse('---\ndescription: x\n---\nDo it.\n'), {
      code: 'skill.invalid',
      message: /no name/,
    });
    assert.throws(() => parse('---\nname: a\ndescription: x\n---\n \n'), {
      code: 'skill.invalid',
      message: /no body/,
    });
    assert.throws(() => parse(''), { code: 'skill.invalid' });
  });

  test('gets a missing description from its body, a missing name from the caller', () => {
    assert.equal(parse('---\nname: a\n---\n\nDoes it well.\n').card.description, 'Does it well.');
    assert.equal(parse('Just do it.\n', { name: 'b' }).name, 'b');
  });
});

describe('what is loaded', () => {
  test('takes its input schema from the caller', () => {
    const text =
      '---\nname: a\ndescription: x\ninput: {type: object, properties: {old: {type: string}}}\n---\nDo it.\n';
    assert.deepEqual(Object.keys(parse(text).card.input?.['properties'] ?? {}), ['old']);
    const given = parse(text, { input: z.object({ fresh: z.string() }) });
    assert.deepEqual(Object.keys(given.card.input?.['properties'] ?? {}), ['fresh']);
  });

  test('can be registered, replaced and unregistered under its name', () => {
    using files = tree({ 'release/SKILL.md': skillText('release') });
    const skills = skillsAt();
    skills.register(load(files.at('release')));
    assert.equal(skills.get('release')?.file, files.at('release/SKILL.md'));
    assert.match(skills.digest(skills.resolve('release')) ?? '', /^sha256:/);
    assert.throws(() => skills.register(parse(skillText('Release'))), { code: 'skill.duplicate' });
    assert.equal(skills.replace(parse(skillText('release', 'Another.'))), true);
    assert.equal(skills.get('release')?.card.description, 'Another.');
    assert.equal(skills.unregister('release'), true);
    assert.deepEqual(skills.list(), []);
  });

  test('two names of nothing but signs are two skills', () => {
    const skills = skillsAt();
    skills.register(parse(skillText('🚀')));
    skills.register(parse(skillText('🎉')));
    assert.equal(skills.list().length, 2);
    assert.equal(skills.get('🎉')?.card.description, 'Does 🎉.');
  });

  test('goes before the same skill on disk', () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a', 'From disk.') });
    const skills = skillsAt(files.path);
    skills.register(parse(skillText('a', 'From memory.')));
    assert.equal(skills.get('a')?.card.description, 'From memory.');
    assert.equal(skills.get('project:a')?.card.description, 'From disk.');
  });
});
