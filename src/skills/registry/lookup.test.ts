import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { registryOf, type SkillFixture } from '../../../test/support/registry.ts';
import { isAgentError } from '../../core/error.ts';
import { sources } from '../../core/skill.ts';

const fixtures: readonly SkillFixture[] = [
  { name: 'read', source: 'bundled', family: 'function', file: '', root: '' },
  { name: 'Daily Report', file: '/skills/office/daily/SKILL.md' },
  { name: 'deploy', file: '/skills/ops/deploy/SKILL.md' },
  { name: 'deploy', source: 'user', file: '/u/deploy/SKILL.md', root: '/u' },
  { name: 'Foo: Bar', file: '/skills/foo/SKILL.md' },
  { name: '__proto__', file: '/skills/p/SKILL.md' },
  { name: 'constructor', file: '/skills/c/SKILL.md' },
];
const { lookup } = registryOf(fixtures);

function fileOf(name: string): string | undefined {
  const skill = lookup.find(name);
  return skill === undefined ? undefined : skill.file || `${skill.source}:${skill.name}`;
}

test('a name with very many colons is looked up without exhausting the stack', () => {
  assert.equal(lookup.find(`${'deploy:'.repeat(100_000)}deploy`), undefined);
});

describe('a look-up', () => {
  const found: readonly (readonly [asked: string, file: string])[] = [
    ['read', 'bundled:read'],
    ['Read!', 'bundled:read'],
    ['  READ  ', 'bundled:read'],
    ['ｒｅａｄ', 'bundled:read'],
    ['bundled:read', 'bundled:read'],
    ['read-function', 'bundled:read'],
    ['daily-report', '/skills/office/daily/SKILL.md'],
    ['Daily Report', '/skills/office/daily/SKILL.md'],
    ['DAILY', '/skills/office/daily/SKILL.md'],
    ['office/daily-report', '/skills/office/daily/SKILL.md'],
    ['Office/Daily Report', '/skills/office/daily/SKILL.md'],
    ['Project: Daily Report', '/skills/office/daily/SKILL.md'],
    ['daily-report-anthropic', '/skills/office/daily/SKILL.md'],
    ['deploy', '/skills/ops/deploy/SKILL.md'],
    ['project:deploy', '/skills/ops/deploy/SKILL.md'],
    ['user:deploy', '/u/deploy/SKILL.md'],
    ['Foo: Bar', '/skills/foo/SKILL.md'],
    ['foo-bar', '/skills/foo/SKILL.md'],
    ['__proto__', '/skills/p/SKILL.md'],
    ['constructor', '/skills/c/SKILL.md'],
  ];
  for (const [asked, file] of found) test(`${asked} finds ${file}`, () => assert.equal(fileOf(asked), file));

  const missed = [
    ...[
      '',
      ' ',
      '!!!',
      'toString',
      'hasOwnProperty',
      'nobody',
      'office',
      'ops/daily-report',
      'plugin:deploy',
      'user:',
    ],
    ...[
      '../read',
      './read',
      '..',
      '/read',
      '/etc/passwd',
      '../../etc/passwd',
      'ops/../deploy',
      'ops/./deploy',
      'deploy/..',
    ],
    ...[
      '..\\read',
      '\\read',
      'read\0',
      'read\0.md',
      '\0',
      '%2e%2e/read',
      '%2e%2e%2fread',
      '/skills/ops/deploy/SKILL.md',
    ],
  ];
  for (const asked of missed)
    test(`${JSON.stringify(asked)} finds nothing`, () => assert.equal(fileOf(asked), undefined));

  test('a name that reads like a source never answers for that source', () => {
    const { lookup: only } = registryOf([{ name: 'user:deploy', file: '/skills/x/SKILL.md' }]);
    assert.equal(only.find('user:deploy'), undefined);
    assert.equal(only.find('user-deploy')?.file, '/skills/x/SKILL.md');
    const { lookup: group } = registryOf([
      { name: 'deploy', file: '/skills/user:/deploy/SKILL.md' },
      { name: 'deploy', source: 'user', file: '/u/deploy/SKILL.md', root: '/u' },
    ]);
    assert.equal(group.find('user:deploy')?.file, '/u/deploy/SKILL.md');
  });

  test('a name goes before a folder, and a folder before nothing', () => {
    const { lookup: both } = registryOf([
      { name: 'b', file: '/skills/a/SKILL.md' },
      { name: 'a', file: '/skills/z/SKILL.md' },
    ]);
    assert.equal(both.find('a')?.file, '/skills/z/SKILL.md');
    assert.equal(both.find('z')?.file, '/skills/z/SKILL.md');
  });

  test('a shadowed skill is reached by its folder when no one else has it', () => {
    const { lookup: shadows } = registryOf([
      { name: 'x', file: '/skills/one/SKILL.md' },
      { name: 'x', file: '/skills/two/SKILL.md' },
    ]);
    assert.equal(shadows.find('two')?.status, 'shadowed');
    assert.equal(shadows.find('x-agent-skill')?.status, 'ready');
  });
});

describe('a miss', () => {
  test('answers with the nearest names', () => {
    assert.deepEqual(lookup.near('depoly'), ['deploy']);
    assert.deepEqual(lookup.near('user:dploy'), ['deploy']);
    assert.throws(
      () => lookup.resolve('Depoly'),
      (thrown) =>
        isAgentError(thrown) &&
        thrown.code === 'skill.not-found' &&
        thrown.message.includes('"Depoly"') &&
        thrown.hint === 'Did you mean "deploy"?',
    );
  });

  test('with nothing near says what to do', () => {
    assert.throws(() => lookup.resolve('zzzzzz'), { hint: 'List the available skills.' });
  });

  test('names the file of a skill that cannot be used', () => {
    const { lookup: broken } = registryOf([{ name: 'x', invalid: true }]);
    assert.throws(() => broken.resolve('x'), { hint: /^\/skills\/x\/SKILL\.md cannot be used/ });
  });
});

describe('whatever collides', () => {
  const name = fc.constantFrom('a', 'b', 'A', 'ａ', 'x y', 'user', 'a\u200b');
  const skill = fc.record({
    name,
    source: fc.constantFrom(...sources),
    family: fc.constantFrom('agent-skill', 'table', 'function'),
    group: fc.constantFrom('', 'g', 'G', 'user:', '!!'),
    root: fc.constantFrom('/r1', '/r2'),
    requires: fc.constantFrom(undefined, { bins: ['jq'] }),
    invalid: fc.boolean(),
  });

  test('each usable skill is reached by its qualified names, and the hint leads to it', () => {
    fc.assert(
      fc.property(fc.array(skill, { maxLength: 12 }), (skills) => {
        const list = skills.map(({ group, root, requires, ...rest }, index): SkillFixture => ({
          ...rest,
          root,
          file: `${root}/${group === '' ? '' : `${group}/`}${index}/FILE.md`,
          ...(requires === undefined ? {} : { requires }),
        }));
        const registry = registryOf(list);
        assert.equal(registry.skills.length, list.length);
        for (const record of registry.skills) {
          if (record.status === 'invalid') continue;
          assert.ok(record.qualifiedNames.length > 0);
          for (const name of record.qualifiedNames) assert.equal(registry.lookup.find(name), record, name);
          assert.notEqual(registry.lookup.find(record.name), undefined);
        }
        for (const { code, file, hint } of registry.issues) {
          if (code !== 'registry.shadowed') continue;
          const name = /"(.*)"/.exec(hint ?? '')?.[1] ?? '';
          assert.equal(registry.lookup.find(name)?.file, file);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('a deceptive or ineligible skill takes no bare name from an honest, usable one', () => {
    fc.assert(
      fc.property(fc.array(skill, { maxLength: 10 }), (skills) => {
        const list = skills.map(({ group: _, root, requires, ...rest }, index): SkillFixture => ({
          ...rest,
          root,
          file: `${root}/${index}/FILE.md`,
          ...(requires === undefined ? {} : { requires }),
        }));
        const registry = registryOf(list);
        for (const record of registry.skills) {
          const holder = registry.lookup.find(record.name);
          if (record.status === 'invalid' || holder === undefined) continue;
          const twins = registry.skills.filter(
            (other) => other.name === record.name && other.status !== 'invalid',
          );
          if (twins.some((other) => !other.deceptive)) {
            assert.equal(registry.skills.find((other) => other === holder)?.deceptive, false);
          }
          if (twins.some((other) => other.status === 'ready')) assert.equal(holder.status, 'ready');
        }
      }),
      { numRuns: 300 },
    );
  });
});
