import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { skillsAt } from '../../test/support/skills.ts';
import { skillText, tree } from '../../test/support/tree.ts';
import { defineSkill, type DefinedSkill } from '../core/define-skill.ts';
import { isAgentError } from '../core/error.ts';
import type { Skill } from '../core/skill.ts';
import type { SkillChange } from './change.ts';
import type { Skills } from './skills.ts';

function made(name: string, description = `Does ${name}.`): DefinedSkill {
  return defineSkill({ name, description, instructions: `Do ${name}.` });
}

function names(skills: readonly Skill[]): readonly string[] {
  return skills.map((skill) => skill.name);
}

/** What a listener was told, as `+added ~updated -removed`. */
function listen(skills: Skills): { readonly told: readonly string[]; readonly stop: () => void } {
  const told: string[] = [];
  const stop = skills.subscribe((list, { added, updated, removed, version }) => {
    const parts = [
      ...added.map((name) => `+${name}`),
      ...updated.map((name) => `~${name}`),
      ...removed.map((name) => `-${name}`),
    ];
    told.push(`v${version} ${parts.join(' ')} [${names(list).join(' ')}]`);
  });
  return { told, stop };
}

describe('register, replace, unregister, clear', () => {
  test('register adds, and throws on a name that code registered before', () => {
    const skills = skillsAt();
    skills.register(made('a'));
    assert.equal(skills.has('a'), true);
    assert.throws(() => skills.register(made('a')), { code: 'skill.duplicate', message: /"a"/ });
    assert.equal(skills.get('a')?.source, 'explicit');
    assert.equal(skills.get('a')?.status, 'ready');
  });

  test('replace tells false, then true', () => {
    const skills = skillsAt();
    assert.equal(skills.replace(made('a')), false);
    assert.equal(skills.replace(made('a', 'Another.')), true);
    assert.equal(skills.get('a')?.card.description, 'Another.');
    assert.equal(skills.list().length, 1);
  });

  test('unregister tells true, then false', () => {
    const skills = skillsAt();
    skills.register(made('a'));
    assert.equal(skills.unregister('A'), true);
    assert.equal(skills.unregister('a'), false);
    assert.deepEqual(skills.list(), []);
    skills.register(made('a'));
    assert.equal(skills.has('a'), true);
  });

  test('unregister takes away the skill that the name stands for, and no other', () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a') });
    const skills = skillsAt(files.path);
    skills.register(made('a'));
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
    const skills = skillsAt(files.path, { builtins: [made('builtin')] });
    skills.register(made('b'));
    skills.clear();
    assert.deepEqual(skills.list(), []);
    assert.equal(skills.has('a'), false);
    skills.register(made('b'));
    assert.deepEqual(names(skills.list()), ['b']);
  });

  test('code may replace a built-in', () => {
    const skills = skillsAt(undefined, { builtins: [made('read')] });
    skills.register(made('read', 'Mine.'));
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

  test('input and output of a skill made in code are JSON Schemas on its card', () => {
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
    skills.register(made('daily-report'));
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
    skills.register(made('a'));
    const before = skills.list();
    const [a] = before;
    skills.register(made('b'));
    skills.unregister('a');
    assert.deepEqual(names(before), ['a']);
    assert.equal(a?.status, 'ready');
    assert.deepEqual(names(skills.list()), ['b']);
    assert.throws(() => (before as Skill[]).pop(), TypeError);
  });

  test('a skill that lost its name to a later one keeps its record in the old snapshot', () => {
    const skills = skillsAt(undefined, { builtins: [made('read')] });
    const before = skills.snapshot();
    skills.register(made('read'));
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
    skills.register(made('b'));
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

  test('rejects what is no folder, and changes nothing', async () => {
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

describe('subscribe', () => {
  test('tells of register, replace, unregister and clear', () => {
    const skills = skillsAt();
    const { told } = listen(skills);
    skills.register(made('a'));
    skills.register(made('b'));
    skills.replace(made('a', 'Another.'));
    skills.unregister('a');
    skills.clear();
    assert.deepEqual(told, ['v2 +a [a]', 'v3 +b [a b]', 'v4 ~a [a b]', 'v5 -a [b]', 'v6 -b []']);
    assert.equal(skills.version, 6);
  });

  test('does not tell what changes nothing', () => {
    const skills = skillsAt();
    const a = made('a');
    skills.register(a);
    const { told } = listen(skills);
    const version = skills.version;
    skills.replace(a);
    skills.unregister('nope');
    skills.refresh();
    assert.throws(() => skills.register(a));
    skills.clear();
    skills.clear();
    assert.deepEqual(told, [`v${version + 1} -a []`]);
  });

  test('does not tell of what happened before, nor after the end', () => {
    const skills = skillsAt();
    skills.register(made('a'));
    const { told, stop } = listen(skills);
    skills.register(made('b'));
    stop();
    stop();
    skills.register(made('c'));
    assert.deepEqual(told, ['v2 +b [a b]']);
  });

  test('a shadowed or invalid file is no change to a caller', async () => {
    using files = tree({ 'team/a/SKILL.md': skillText('a') });
    const skills = skillsAt();
    await skills.loadDir(files.at('team'));
    const { told } = listen(skills);
    files.write('team/z/SKILL.md', skillText('a', 'Shadowed.'));
    files.write('team/bad/SKILL.md', '');
    await skills.loadDir(files.at('team'));
    assert.deepEqual(told, []);
    files.write('team/a/SKILL.md', skillText('a', 'Changed.'));
    await skills.loadDir(files.at('team'));
    assert.deepEqual(told, ['v2 ~a [a]']);
  });

  test('a listener that throws or rejects is reported, and the others are told', async () => {
    const skills = skillsAt();
    skills.subscribe(() => {
      throw new Error('first');
    });
    skills.subscribe(() => Promise.reject(new Error('second')));
    skills.subscribe(() => {
      throw 'third'; // eslint-disable-line @typescript-eslint/only-throw-error -- whatever is thrown
    });
    const { told } = listen(skills);
    skills.register(made('a'));
    await Promise.resolve();
    await Promise.resolve();
    assert.equal(told.length, 1);
    const reports = skills.diagnostics().filter(({ code }) => code === 'registry.listener');
    assert.deepEqual(reports.map(({ message }) => /threw: (\w+)/.exec(message)?.[1]).sort(), [
      'first',
      'second',
      'third',
    ]);
  });

  test('the reports of a listener that always throws do not pile up', () => {
    const skills = skillsAt();
    skills.subscribe(() => {
      throw new Error('again');
    });
    for (let count = 0; count < 100; count++) skills.replace(made('a'));
    const reports = skills.diagnostics().filter(({ code }) => code === 'registry.listener');
    assert.ok(reports.length > 0 && reports.length <= 20);
  });

  test('changes arrive in order when a listener makes one itself', () => {
    const skills = skillsAt();
    skills.subscribe((list) => {
      if (list.length === 1) skills.register(made('b'));
    });
    const versions: number[] = [];
    skills.subscribe((_, { version }: SkillChange) => versions.push(version));
    skills.register(made('a'));
    assert.deepEqual(versions, [2, 3]);
  });

  test('one function may listen twice, and each subscription ends for itself', () => {
    const skills = skillsAt();
    let calls = 0;
    const listener = (): number => calls++;
    const stop = skills.subscribe(listener);
    skills.subscribe(listener);
    skills.register(made('a'));
    assert.equal(calls, 2);
    stop();
    skills.register(made('b'));
    assert.equal(calls, 3);
  });

  test('who subscribes while a change is told hears the next one', () => {
    const skills = skillsAt();
    const late: number[] = [];
    let hasLate = false;
    skills.subscribe(() => {
      if (!hasLate) skills.subscribe((_, { version }) => late.push(version));
      hasLate = true;
    });
    skills.register(made('a'));
    assert.deepEqual(late, []);
    skills.register(made('b'));
    assert.deepEqual(late, [3]);
  });

  test('the version counts changes, not looks', () => {
    const skills = skillsAt();
    assert.equal(skills.version, 1);
    assert.equal(skills.version, 1);
    skills.register(made('a'));
    assert.equal(skills.version, 2);
    skills.refresh();
    assert.equal(skills.version, 2);
  });
});

test('a thousand skills are registered one by one, with a listener, in the time of a few', () => {
  const skills = skillsAt();
  const many = Array.from({ length: 1_000 }, (_, index) => made(`skill-${index}`));
  const started = performance.now();
  for (const skill of many) skills.register(skill);
  assert.equal(skills.list().length, 1_000);
  const once = performance.now() - started;
  assert.ok(once < 500, `${Math.round(once)} ms`);
  let calls = 0;
  skills.subscribe(() => calls++);
  for (const skill of many.slice(0, 100)) skills.unregister(skill.name);
  assert.equal(calls, 100);
});
