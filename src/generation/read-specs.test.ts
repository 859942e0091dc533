import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { forAny, garbageBytes, garbageText } from '../testing/garbage.ts';
import { tree } from '../../test/support/tree.ts';
import { readSpecs } from './read-specs.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

function read(files: Files): ReturnType<typeof readSpecs> {
  using base = tree(Object.fromEntries(Object.entries(files).map(([name, text]) => [`specs/${name}`, text])));
  return readSpecs(base.path);
}

function targets(files: Files): readonly string[] {
  const specs = read(files);
  assert.deepEqual(specs?.issues, []);
  return specs?.specs.map(({ target }) => target) ?? [];
}

function codes(files: Files): readonly string[] {
  return (read(files)?.issues ?? []).map(({ level, code }) => `${level} ${code}`);
}

describe('which file is made of which spec', () => {
  const cases: Readonly<Record<string, string>> = {
    'index.md': 'index.ts',
    'index.mds': 'index.ts',
    'index.ts.md': 'index.ts',
    'index.mjs.md': 'index.mjs',
    'src/index.ts.md': 'index.ts',
    'src/src/a.md': 'src/a.ts',
    'lib/deep/parse.md': 'lib/deep/parse.ts',
    'query.sql.md': 'query.sql',
    'page.html.mds': 'page.html',
    'v1.2.md': 'v1.2.ts',
    'two words.MD': 'two words.ts',
  };
  for (const [spec, target] of Object.entries(cases)) {
    test(`${spec} → ${target}`, () => assert.deepEqual(targets({ [spec]: '# A' }), [target]));
  }

  test('other files, hidden files and hidden folders are left out', () => {
    const files = { 'a.md': 'A', 'b.txt': 'B', '.c.md': 'C', '.backup/a.md': 'D', 'e/.f/g.md': 'E' };
    assert.deepEqual(targets(files), ['a.ts']);
  });

  test('a skill without specs has none', () => {
    using base = tree({ 'specs/readme.txt': 'x' });
    assert.equal(readSpecs(base.path), undefined);
    assert.equal(readSpecs(base.at('specs')), undefined);
    assert.equal(readSpecs(base.at('nowhere')), undefined);
    assert.equal(readSpecs(base.at('specs', 'readme.txt')), undefined);
  });

  test('paths are those in the bundle, in the order of their code units', () => {
    const specs = read({ 'b.md': '', 'a/z.md': '', 'B.txt.md': '', 'ä.md': '' });
    assert.deepEqual(
      specs?.specs.map(({ path }) => path),
      ['specs/B.txt.md', 'specs/a/z.md', 'specs/b.md', 'specs/ä.md'],
    );
  });
});

describe('what keeps specs from being used', () => {
  test('two specs of one file, both named', () => {
    const specs = read({ 'index.md': 'A', 'src/index.ts.md': 'B' });
    const [issue] = specs?.issues ?? [];
    assert.equal(issue?.level, 'error');
    assert.match(issue?.message ?? '', /specs\/index\.md and specs\/src\/index\.ts\.md .* src\/index\.ts/);
  });

  test('names that are equal on some systems', () => {
    assert.deepEqual(codes({ 'Index.md': 'A', 'index.ts.md': 'B' }), ['error spec.clash']);
    assert.deepEqual(codes({ 'e\u0301.md': 'A', '\u00e9.ts.md': 'B' }), ['error spec.clash']);
  });

  test('a file that would be a folder too', () => {
    const specs = read({ 'a.ts.md': 'A', 'A.ts/b.md': 'B' });
    assert.match(specs?.issues[0]?.message ?? '', /a file, and specs\/A\.ts\/b\.md makes it a folder/);
  });

  test('names that no source file could have', () => {
    assert.deepEqual(codes({ 'a\\b.md': 'A' }), ['error spec.target']);
    assert.deepEqual(codes({ 'a\nb.md': 'A' }), ['error spec.target']);
    assert.deepEqual(codes({ 'c:d.md': 'A' }), ['error spec.target']);
  });

  test('what is not UTF-8, or too long', () => {
    assert.deepEqual(codes({ 'a.md': new Uint8Array([0x41, 0xff]) }), ['error spec.encoding']);
    assert.deepEqual(codes({ 'a.md': 'x'.repeat(1_000_001) }), ['error spec.unreadable']);
    assert.deepEqual(codes({ 'a.md': 'x'.repeat(1_000_000) }), []);
  });

  test('more than 500 specs', () => {
    const names = Array.from({ length: 501 }, (_, index) => [`${index}.md`, ''] as const);
    assert.deepEqual(codes(Object.fromEntries(names)), ['error spec.too-many']);
    assert.deepEqual(codes(Object.fromEntries(names.slice(1))), []);
  });

  test('links, to files, to folders, and the folder itself', () => {
    using base = tree({ 'a/specs/a.md': 'A', 'other/b.md': 'B' });
    symlinkSync(base.at('other/b.md'), base.at('a/specs/b.md'));
    symlinkSync(base.at('other'), base.at('a/specs/c'));
    mkdirSync(base.at('d'));
    symlinkSync(base.at('other'), base.at('d/specs'));
    const found = readSpecs(base.at('a'));
    assert.deepEqual(found?.issues.map(({ file }) => file).sort(), [
      base.at('a/specs/b.md'),
      base.at('a/specs/c'),
    ]);
    assert.deepEqual(
      readSpecs(base.at('d'))?.issues.map(({ code }) => code),
      ['spec.link'],
    );
  });
});

test('any bytes are specs or findings, never an error', () => {
  forAny(
    fc.array(
      fc.oneof(
        garbageBytes,
        garbageText.map((text) => Buffer.from(text)),
      ),
      { minLength: 1, maxLength: 4 },
    ),
    100,
    (texts) => {
      const heading = Buffer.from('## Dependencies\n');
      const found = read(
        Object.fromEntries(texts.map((text, index) => [`${index}.md`, Buffer.concat([heading, text])])),
      );
      const errors = found?.issues.filter(({ level }) => level === 'error') ?? [];
      assert.ok((found?.specs.length ?? 0) + errors.length >= texts.length);
    },
  );
});

describe('specs that lie in no file', () => {
  test('are added to the others, and replace one with the same path', () => {
    using base = tree({ 'specs/a.md': 'Old.', 'specs/c.md': 'Builds.\n\n## Dependencies\n\n- b.ts\n' });
    const read = readSpecs(base.path, { 'a.md': 'New.', 'b.ts.md': 'Beside.' });
    assert.deepEqual(read, {
      specs: [
        { path: 'specs/a.md', target: 'a.ts', text: 'New.', dependencies: [] },
        { path: 'specs/b.ts.md', target: 'b.ts', text: 'Beside.', dependencies: [] },
        {
          path: 'specs/c.md',
          target: 'c.ts',
          dependencies: ['b.ts'],
          text: 'Builds.\n\n## Dependencies\n\n- b.ts\n',
        },
      ],
      issues: [],
    });
  });

  test('are read without a folder of specs, and follow the same rules', () => {
    using base = tree({ 'other.txt': '' });
    const codesOf = (texts: Readonly<Record<string, string>>): readonly string[] =>
      readSpecs(base.path, texts)?.issues.map(({ code }) => code) ?? ['none'];
    assert.deepEqual(codesOf({}), ['none']);
    assert.deepEqual(codesOf({ 'rules.ts.md': 'x' }), []);
    assert.deepEqual(codesOf({ '../../out.md': 'x' }), ['spec.target']);
    assert.deepEqual(codesOf({ 'a.md': 'x', 'a.ts.md': 'y' }), ['spec.clash']);
  });
});
