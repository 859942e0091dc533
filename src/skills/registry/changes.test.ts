import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { skillsAt } from '../../../test/support/skills.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { defineSkill, type DefinedSkill } from '../../core/define-skill.ts';
import type { SkillChange } from './changes.ts';
import type { Skills } from '../skills.ts';

function made(name: string, description = `Does ${name}.`): DefinedSkill {
  return defineSkill({ name, description, instructions: `Do ${name}.` });
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
    told.push(`v${version} ${parts.join(' ')} [${list.map((skill) => skill.name).join(' ')}]`);
  });
  return { told, stop };
}

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

  test('survives whatever a listener throws, and goes on telling the others', () => {
    const skills = skillsAt();
    skills.subscribe(() => {
      throw Object.create(null); // the worst there is
    });
    const { told } = listen(skills);
    skills.register(made('a'));
    skills.register(made('b'));
    assert.deepEqual(told, ['v2 +a [a]', 'v3 +b [a b]']);
    assert.match(skills.diagnostics().at(-1)?.message ?? '', /^A listener of the registry threw/);
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
