import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { skillsAt } from '../../../test/support/skills.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { defineSkill, type DefinedSkill } from '../../core/define-skill.ts';
import type { SkillChange } from './changes.ts';
import type { Skills } from '../skills.ts';

function createSkill(name: string, description = `Does ${name}.`): DefinedSkill {
  return defineSkill({ name, description, instructions: `Do ${name}.` });
}

/** Records the changes that a listener receives, as `+added ~updated -removed`. */
function listen(skills: Skills): { readonly events: readonly string[]; readonly stop: () => void } {
  const events: string[] = [];
  const stop = skills.subscribe((list, { added, updated, removed, version }) => {
    const parts = [
      ...added.map((name) => `+${name}`),
      ...updated.map((name) => `~${name}`),
      ...removed.map((name) => `-${name}`),
    ];
    events.push(`v${version} ${parts.join(' ')} [${list.map((skill) => skill.name).join(' ')}]`);
  });
  return { events, stop };
}

describe('subscribe', () => {
  test('reports register, replace, unregister and clear', () => {
    const skills = skillsAt();
    const { events } = listen(skills);
    skills.register(createSkill('a'));
    skills.register(createSkill('b'));
    skills.replace(createSkill('a', 'Another.'));
    skills.unregister('a');
    skills.clear();
    assert.deepEqual(events, ['v2 +a [a]', 'v3 +b [a b]', 'v4 ~a [a b]', 'v5 -a [b]', 'v6 -b []']);
    assert.equal(skills.version, 6);
  });

  test('survives whatever a listener throws, and continues telling the others', () => {
    const skills = skillsAt();
    skills.subscribe(() => {
      throw Object.create(null); // the hardest case
    });
    const { events } = listen(skills);
    skills.register(createSkill('a'));
    skills.register(createSkill('b'));
    assert.deepEqual(events, ['v2 +a [a]', 'v3 +b [a b]']);
    assert.match(skills.diagnostics().at(-1)?.message ?? '', /^A registry listener failed: /);
  });

  test('does not report what changes nothing', () => {
    const skills = skillsAt();
    const a = createSkill('a');
    skills.register(a);
    const { events } = listen(skills);
    const version = skills.version;
    skills.replace(a);
    skills.unregister('nope');
    skills.refresh();
    assert.throws(() => skills.register(a));
    skills.clear();
    skills.clear();
    assert.deepEqual(events, [`v${version + 1} -a []`]);
  });

  test('does not report what happened before, nor after the end', () => {
    const skills = skillsAt();
    skills.register(createSkill('a'));
    const { events, stop } = listen(skills);
    skills.register(createSkill('b'));
    stop();
    stop();
    skills.register(createSkill('c'));
    assert.deepEqual(events, ['v2 +b [a b]']);
  });

  test('a shadowed or invalid file is not a change to a caller', async () => {
    using files = tree({ 'team/a/SKILL.md': skillText('a') });
    const skills = skillsAt();
    await skills.loadDir(files.at('team'));
    const { events } = listen(skills);
    files.write('team/z/SKILL.md', skillText('a', 'Shadowed.'));
    files.write('team/bad/SKILL.md', '');
    await skills.loadDir(files.at('team'));
    assert.deepEqual(events, []);
    files.write('team/a/SKILL.md', skillText('a', 'Changed.'));
    await skills.loadDir(files.at('team'));
    assert.deepEqual(events, ['v2 ~a [a]']);
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
    const { events } = listen(skills);
    skills.register(createSkill('a'));
    await Promise.resolve();
    await Promise.resolve();
    assert.equal(events.length, 1);
    const reports = skills.diagnostics().filter(({ code }) => code === 'registry.listener');
    assert.deepEqual(reports.map(({ message }) => /failed: (\w+)/.exec(message)?.[1]).sort(), [
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
    for (let count = 0; count < 100; count++) skills.replace(createSkill('a'));
    const reports = skills.diagnostics().filter(({ code }) => code === 'registry.listener');
    assert.ok(reports.length > 0 && reports.length <= 20);
  });

  test('changes arrive in order when a listener makes one itself', () => {
    const skills = skillsAt();
    skills.subscribe((list) => {
      if (list.length === 1) skills.register(createSkill('b'));
    });
    const versions: number[] = [];
    skills.subscribe((_, { version }: SkillChange) => versions.push(version));
    skills.register(createSkill('a'));
    assert.deepEqual(versions, [2, 3]);
  });

  test('one function may listen twice, and each subscription ends for itself', () => {
    const skills = skillsAt();
    let calls = 0;
    const listener = (): number => calls++;
    const stop = skills.subscribe(listener);
    skills.subscribe(listener);
    skills.register(createSkill('a'));
    assert.equal(calls, 2);
    stop();
    skills.register(createSkill('b'));
    assert.equal(calls, 3);
  });

  test('who subscribes while a change is reported hears the next one', () => {
    const skills = skillsAt();
    const late: number[] = [];
    let hasLate = false;
    skills.subscribe(() => {
      if (!hasLate) skills.subscribe((_, { version }) => late.push(version));
      hasLate = true;
    });
    skills.register(createSkill('a'));
    assert.deepEqual(late, []);
    skills.register(createSkill('b'));
    assert.deepEqual(late, [3]);
  });

  test('the version counts changes, not looks', () => {
    const skills = skillsAt();
    assert.equal(skills.version, 1);
    assert.equal(skills.version, 1);
    skills.register(createSkill('a'));
    assert.equal(skills.version, 2);
    skills.refresh();
    assert.equal(skills.version, 2);
  });
});
