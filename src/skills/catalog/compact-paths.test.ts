import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { tree } from '../../../test/support/tree.ts';
import { compactSkillPaths } from './compact-paths.ts';

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
