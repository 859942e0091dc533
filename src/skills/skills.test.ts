import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { skillsAt } from '../../test/support/skills.ts';
import { skillText, tree } from '../../test/support/tree.ts';
import { defineSkill, type DefinedSkill } from '../core/define-skill.ts';
import { isAgentError } from '../core/error.ts';
import type { Skill } from '../core/skill.ts';

function createSkill(name: string, description = `Does ${name}.`): DefinedSkill {
  return defineSkill({ name, description, instructions: `Do ${name}.` });
}

function names(skills: readonly Skill[]): readonly string[] {
  return skills.map((skill) => skill.name);
}

describe('register, replace, unregister, clear', () => {
  test('register adds, and throws on a name that code registered before', () => {
    const skills = skillsAt();
    skills.register(createSkill('a'));
    assert.equal(skills.has('a'), true);
    assert.throws(() => skills.register(createSkill('a')), { code: 'skill.duplicate', message: /"a"/ });
    assert.equal(skills.get('a')?.source, 'explicit');
    assert.equal(skills.get('a')?.status, 'ready');
  });

  test('replace tells false, then true', () => {
    const skills = skillsAt();
    assert.equal(skills.replace(createSkill('a')), false);
    assert.equal(skills.replace(createSkill('a', 'Another.')), true);
    assert.equal(skills.get('a')?.card.description, 'Another.');
    assert.equal(skills.list().length, 1);
  });

  test('unregister tells true, then false', () => {
    const skills = skillsAt();
    skills.register(createSkill('a'));
    assert.equal(skills.unregister('A'), true);
    assert.equal(skills.unregister('a'), false);
    assert.deepEqual(skills.list(), []);
    skills.register(createSkill('a'));
    assert.equal(skills.has('a'), true);
  });

  test('unregister takes away the skill that the name stands for, and no other', () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a') });
    const skills = skillsAt(files.path);
    skills.register(createSkill('a'));
    assert.equal(skills.unregister('project:a'), true);
    assert.deepEqual(
      skills.list().map((skill) => skill.source),
      ['explicit'],
    );
    assert.equal(skills.unregister('a'), true);
    assert.deepEqual(skills.list(), []);
  });

  test('a skill from disk that was unregistered stays away until its folder is loaded again', async () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a'), 'skills/b/SKILL.md': skillText('b') });
    const skills = skillsAt(files.path);
    skills.unregister('a');
    assert.deepEqual(names(skills.list()), ['b']);
    skills.refresh();
    assert.deepEqual(names(skills.list()), ['b']);
    await skills.loadDir('skills');
    assert.deepEqual(names(skills.list()), ['a', 'b']);
  });

  test('clear takes everything away', () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a'), 'skills/bad/SKILL.md': '' });
    const skills = skillsAt(files.path, { builtins: [createSkill('builtin')] });
    skills.register(createSkill('b'));
    assert.equal(skills.size, 4);
    skills.clear();
    assert.deepEqual(skills.list(), []);
    assert.equal(skills.size, 0);
    assert.equal(skills.has('a'), false);
    skills.register(createSkill('b'));
    assert.deepEqual(names(skills.list()), ['b']);
  });

  test('code may replace a built-in', () => {
    const skills = skillsAt(undefined, { builtins: [createSkill('read')] });
    skills.register(createSkill('read', 'Mine.'));
    assert.equal(skills.get('read')?.card.description, 'Mine.');
    assert.equal(skills.get('bundled:read')?.status, 'shadowed');
    skills.unregister('read');
    assert.equal(skills.get('read')?.source, 'bundled');
  });

  test('a skill that was not made with defineSkill is held to the same rules', () => {
    const skills = skillsAt();
    const plain = { name: 'a', description: 'Does a.', instructions: 'Do a.' } as unknown as DefinedSkill;
    skills.register(plain);
    assert.equal(skills.has('a'), true);
    assert.throws(() => skills.register({ ...plain, name: 'Not Valid' }), { code: 'skill.invalid' });
    assert.throws(() => skills.register({ ...plain, name: 'b', description: '' }), { code: 'skill.invalid' });
  });

  test('input and output of a skill defined in code are JSON Schemas on its card', () => {
    const skills = skillsAt();
    const input = z.object({ issue: z.int() });
    skills.register(
      defineSkill({
        name: 'a',
        description: 'Does a.',
        input,
        output: () => z.string(),
        run: () => assert.fail(),
      }),
    );
    const card = skills.get('a')?.card;
    assert.deepEqual(card?.input?.['required'], ['issue']);
    assert.equal(card?.output?.['type'], 'string');
    assert.equal(skills.get('a')?.family, 'function');
  });
});

describe('reading', () => {
  test('get, has and resolve go by any name', () => {
    const skills = skillsAt();
    skills.register(createSkill('daily-report'));
    for (const name of ['daily-report', 'Daily Report', 'explicit:daily-report', 'daily-report-anthropic']) {
      assert.equal(skills.get(name)?.name, 'daily-report', name);
      assert.equal(skills.has(name), true);
    }
    assert.equal(skills.get('nope'), undefined);
    assert.throws(
      () => skills.resolve('dialy-report'),
      (thrown) => isAgentError(thrown) && thrown.hint === 'Did you mean "daily-report"?',
    );
  });

  test('a list stays as it was', () => {
    const skills = skillsAt();
    skills.register(createSkill('a'));
    const before = skills.list();
    const [a] = before;
    skills.register(createSkill('b'));
    skills.unregister('a');
    assert.deepEqual(names(before), ['a']);
    assert.equal(a?.status, 'ready');
    assert.deepEqual(names(skills.list()), ['b']);
    assert.throws(() => (before as Skill[]).pop(), TypeError);
  });

  test('a skill that lost its name to a later one keeps its record in the old snapshot', () => {
    const skills = skillsAt(undefined, { builtins: [createSkill('read')] });
    const before = skills.snapshot();
    skills.register(createSkill('read'));
    assert.equal(before.lookup.find('read')?.source, 'bundled');
    assert.equal(skills.get('read')?.source, 'explicit');
  });

  test('diagnostics hold the findings about files and names', () => {
    using files = tree({
      'skills/a/SKILL.md': skillText('a'),
      'skills/b/SKILL.md': skillText('a'),
      'skills/bad/SKILL.md': '',
    });
    const codes = skillsAt(files.path)
      .diagnostics()
      .map(({ code }) => code);
    assert.ok(codes.includes('registry.shadowed'));
    assert.ok(codes.includes('descriptor.empty'));
  });

  test('the digest is that of the whole bundle, and told to be unreadable when it is', () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a'), 'skills/a/scripts/x.sh': 'echo 1\n' });
    const digest = (): string | undefined => {
      const skills = skillsAt(files.path);
      return skills.digest(skills.resolve('a'));
    };
    const before = digest();
    assert.match(before ?? '', /^sha256:[0-9a-f]{64}$/);
    assert.equal(digest(), before);
    files.write('skills/a/scripts/x.sh', 'echo 2\n');
    assert.notEqual(digest(), before);
    const skills = skillsAt(files.path);
    const skill = skills.resolve('a');
    rmSync(files.at('skills/a'), { recursive: true });
    assert.throws(() => skills.digest(skill), { code: 'skill.invalid', message: /"a"/ });
    skills.register(createSkill('b'));
    assert.equal(skills.digest(skills.resolve('b')), undefined);
  });
});

describe('loadDir', () => {
  test('adds the skills below a folder, and leaves out plain folders and stray files', async () => {
    using files = tree({
      'team/a/SKILL.md': skillText('a'),
      'team/group/b/SKILL.md': skillText('b'),
      'team/plain/notes.txt': 'no skill',
      'team/stray.md': '# Just prose\n',
      'team/README.md': skillText('readme'),
    });
    const skills = skillsAt();
    const loaded = await skills.loadDir(files.at('team'));
    assert.deepEqual(names(loaded), ['a', 'b']);
    assert.deepEqual(
      loaded.map((skill) => skill.source),
      ['explicit', 'explicit'],
    );
    assert.deepEqual(names(skills.list()), ['a', 'b']);
  });

  test('reads a folder again', async () => {
    using files = tree({ 'team/a/SKILL.md': skillText('a') });
    const skills = skillsAt();
    await skills.loadDir(files.at('team'));
    files.write('team/a/SKILL.md', skillText('a', 'Changed.'));
    files.write('team/b/SKILL.md', skillText('b'));
    assert.equal(skills.get('a')?.card.description, 'Does a.', 'nothing is read behind the caller');
    await skills.loadDir(files.at('team/'));
    assert.equal(skills.get('a')?.card.description, 'Changed.');
    assert.equal(skills.list().length, 2);
  });

  test('takes a relative path from the start folder', async () => {
    using files = tree({ 'team/a/SKILL.md': skillText('a') });
    assert.deepEqual(names(await skillsAt(files.path).loadDir('team')), ['a']);
  });

  test('rejects what is not a folder, and changes nothing', async () => {
    using files = tree({ file: '' });
    const skills = skillsAt();
    await assert.rejects(skills.loadDir(files.at('missing')), { code: 'usage.not-found' });
    await assert.rejects(skills.loadDir(files.at('file')), { code: 'usage.not-found' });
    assert.deepEqual(skills.extraRoots, []);
  });

  test('an invalid skill is a finding and stops no other', async () => {
    using files = tree({ 'team/a/SKILL.md': skillText('a'), 'team/bad/SKILL.md': '' });
    const skills = skillsAt();
    assert.deepEqual(names(await skills.loadDir(files.at('team'))), ['a']);
    assert.equal(skills.list().find((skill) => skill.name === 'bad')?.status, 'invalid');
  });

  test('finds the subagents of the folder too', async () => {
    using files = tree({ 'team/a/SKILL.md': skillText('a'), 'team/agents/helper.md': skillText('helper') });
    assert.deepEqual(names(await skillsAt().loadDir(files.at('team'))), ['a', 'helper']);
  });
});

test('a thousand skills that are registered one by one are looked at together', () => {
  const skills = skillsAt();
  const many = Array.from({ length: 1_000 }, (_, index) => createSkill(`skill-${index}`));
  const before = skills.version;
  for (const skill of many) skills.register(skill);
  assert.equal(skills.list().length, 1_000);
  assert.equal(skills.version, before + 1);
  let calls = 0;
  skills.subscribe(() => calls++);
  for (const skill of many.slice(0, 100)) skills.unregister(skill.name);
  assert.equal(calls, 100);
});
