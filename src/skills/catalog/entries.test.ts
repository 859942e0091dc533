import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { registryOf } from '../../../test/support/registry.ts';
import { skillsAt } from '../../../test/support/skills.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { defineSkill } from '../../core/define-skill.ts';
import { appliesTo, catalogEntries, compactSkillPaths, type CatalogEntry } from './entries.ts';

const namesIn = (entries: readonly { readonly name: string }[]): readonly string[] =>
  entries.map(({ name }) => name);

/** Reads the fields of entries. */
const readFields = (entries: readonly CatalogEntry[]): readonly CatalogEntry[] =>
  entries.map(({ name, description, whenToUse, location, pinned }) => {
    return { name, description, whenToUse, location, pinned };
  });

test('an entry says what the card says, and where the descriptor is', () => {
  using files = tree({
    'skills/a/SKILL.md': skillText(
      'a',
      'Does a.',
      'when_to_use: Often.\nmetadata: {skilled: {pinned: true}}\n',
    ),
  });
  assert.deepEqual(readFields(catalogEntries(skillsAt(files.path).list())), [
    {
      name: 'a',
      description: 'Does a.',
      whenToUse: 'Often.',
      location: files.at('skills/a/SKILL.md'),
      pinned: true,
    },
  ]);
});

test('OpenClaw’s "always" skips the requirements and pins nothing', () => {
  using files = tree({
    'skills/exempt/SKILL.md': skillText(
      'exempt',
      'Trades coins.',
      'metadata: {openclaw: {always: true, pinned: true, requires: {bins: [no-such]}}}\n',
    ),
    'skills/own/SKILL.md': skillText('own', 'Own.', 'metadata: {skilled: {always: true}}\n'),
  });
  const skills = skillsAt(files.path);
  skills.register(
    defineSkill({
      name: 'coded',
      description: 'In code.',
      instructions: 'x',
      metadata: { skilled: '{"pinned": true}' },
    }),
  );
  const pinned = catalogEntries(skills.list()).map((entry) => [entry.name, entry.pinned]);
  assert.deepEqual(pinned.toSorted(), [
    ['coded', true],
    ['exempt', undefined],
    ['own', undefined],
  ]);
});

test('skills that models may not choose, that are not listed, not usable or shadowed are left out', () => {
  using files = tree({
    'skills/free/SKILL.md': skillText('free'),
    'skills/manual/SKILL.md': skillText('manual', 'Does it.', 'disable-model-invocation: true\n'),
    'skills/lacking/SKILL.md': skillText(
      'lacking',
      'Does it.',
      'metadata: {skilled: {requires: {bins: [no-such]}}}\n',
    ),
    'skills/unsaid.md': '---\nname: unsaid\n---\n\nText.\n',
    'skills/broken/SKILL.md': '',
    'skills/z/SKILL.md': skillText('free', 'Comes second.'),
  });
  const skills = skillsAt(files.path);
  assert.equal(skills.resolve('manual').status, 'ready');
  assert.equal(skills.resolve('unsaid').card.listed, false);
  assert.deepEqual(namesIn(catalogEntries(skills.list())), ['free']);
});

test('the package’s own tools are not entries unless asked for; skills defined in code are', () => {
  const skills = skillsAt(undefined, {
    builtins: [defineSkill({ name: 'tool', description: 'A tool.', instructions: 'x' })],
  });
  skills.register(defineSkill({ name: 'made', description: 'Made in code.', instructions: 'x' }));
  const entry = { name: 'made', description: 'Made in code.', location: 'skill:made' };
  assert.deepEqual(readFields(catalogEntries(skills.list())), [
    { ...entry, whenToUse: undefined, pinned: undefined },
  ]);
  assert.deepEqual(namesIn(catalogEntries(skills.list(), { internals: true })), ['made', 'tool']);
});

test('two families under one name are listed by names that reach each of them', () => {
  const { skills, lookup } = registryOf([
    { name: 'twin' },
    { name: 'twin', family: 'code-skill', file: '/skills/twin/cskill.md' },
    { name: 'twin', family: 'table', source: 'user', file: '/home/twin/table.md', root: '/home' },
    { name: 'single' },
  ]);
  const entries = catalogEntries(skills);
  assert.deepEqual(namesIn(entries).toSorted(), ['project:twin', 'project:twin:2', 'single', 'user:twin']);
  for (const { name, location } of entries) assert.equal(lookup.find(name)?.file, location);
});

test('a skill is qualified when its bare name reaches one that is not listed', () => {
  using files = tree({
    'skills/twin/SKILL.md': skillText('twin', 'Does it.', 'disable-model-invocation: true\n'),
    'skills/twin/cskill.md': '# twin\n\n## Description\n\nCounts.\n\n## Input Format\n\nText.\n',
  });
  const skills = skillsAt(files.path);
  const [entry, ...others] = catalogEntries(skills.list());
  assert.deepEqual(others, []);
  assert.equal(skills.get(entry?.name ?? '')?.file, files.at('skills/twin/cskill.md'));
  assert.notEqual(entry?.name, 'twin');
});

for (const [pattern, file, isMeant] of [
  ['**/*.test.ts', 'src/a.test.ts', true],
  ['**/*.test.ts', 'a.test.ts', true],
  ['*.test.ts', 'src/deep/a.test.ts', true],
  ['*.test.ts', 'src/a.ts', false],
  ['src/**', 'src/deep/a.ts', true],
  ['src/**', 'other/src/a.ts', false],
  ['/src/*.ts', 'src/a.ts', true],
  ['./src/*.ts', '/work/src/a.ts', true],
  ['src/*.ts', '/elsewhere/src/a.ts', false],
  ['src/*.ts', '../src/a.ts', false],
  ['docs/**/*.{md,mdx}', 'docs/deep/a.mdx', true],
  ['docs/', 'docs/a.md', true],
  ['docs/', 'site/docs/a.md', true],
  ['.github/**', '.github/workflows/ci.yml', true],
  ['..', 'a', false],
  ['', 'a', false],
] as const) {
  test(`${JSON.stringify(pattern)} ${isMeant ? 'means' : 'does not mean'} ${file}`, () => {
    assert.equal(appliesTo([pattern], [file], '/work'), isMeant);
  });
}

const cases: readonly (readonly [what: string, home: string | undefined, path: string, compact: string])[] = [
  ['the home folder itself', '/home/ann', '/home/ann', '~'],
  ['what lies below it', '/home/ann', '/home/ann/skills/a/x.md', '~/skills/a/x.md'],
  ['a home with a slash at its end', '/home/ann/', '/home/ann/skills', '~/skills'],
  ['no name that only starts alike', '/home/ann', '/home/annex/skills', '/home/annex/skills'],
  ['nothing outside', '/home/ann', '/srv/home/ann/skills', '/srv/home/ann/skills'],
  ['nothing when no home is given', undefined, '/home/ann/skills', '/home/ann/skills'],
  ['nothing when home is the root', '/', '/skills', '/skills'],
  ['nothing when home is empty', '', '/skills', '/skills'],
  ['nothing when home is relative', 'ann', 'ann/skills', 'ann/skills'],
  ['no backslash of a POSIX name', '/home/ann', '/home/ann/a\\b', '~/a\\b'],
  ['no other case', '/home/ann', '/home/Ann/a', '/home/Ann/a'],
  ['no location of a skill in code', '/home/ann', 'skill:made', 'skill:made'],
  ['Windows paths', 'C:\\Users\\ann', 'C:\\Users\\ann\\skills\\a', '~/skills/a'],
  ['Windows paths in any case', 'c:\\users\\Ann\\', 'C:/Users/ann/skills', '~/skills'],
  ['no Windows path outside', 'C:\\Users\\ann', 'C:\\Users\\annex\\a', 'C:\\Users\\annex\\a'],
  ['nothing when home is a drive', 'C:\\', 'C:\\skills', 'C:\\skills'],
  ['network homes', '\\\\host\\share\\ann', '\\\\host\\share\\ann\\a', '~/a'],
];
for (const [what, home, path, compact] of cases) {
  test(`compacts ${what}`, () => assert.deepEqual(compactSkillPaths([path], home), [compact]));
}

test('the real path of a home that is a link is home too', () => {
  using files = tree({ 'real/skills/a': '' });
  symlinkSync(files.at('real'), files.at('home'));
  const paths = [files.at('home/skills/a'), files.at('real/skills/a'), files.at('else')];
  assert.deepEqual(compactSkillPaths(paths, files.at('home')), [
    '~/skills/a',
    '~/skills/a',
    files.at('else'),
  ]);
});

test('a compacted path leads back, and paths outside of home stay as they are', () => {
  const name = fc.oneof(
    fc.constantFrom('ann', 'ann.', 'an', '~', 'a b', 'a\\b', '..a'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).filter((part) => !/[/\0]/.test(part)),
  );
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => `/no-such/${parts.join('/')}`);
  fc.assert(
    fc.property(path, path, fc.boolean(), (home, other, isBelow) => {
      const given = isBelow ? `${home}${other}` : other;
      const [compact = ''] = compactSkillPaths([given], home);
      if (compact !== given)
        assert.equal(
          compact.replace(/^~/, () => home),
          given,
        );
      assert.equal(compact !== given, given === home || given.startsWith(`${home}/`));
    }),
    { numRuns: 1000 },
  );
});
