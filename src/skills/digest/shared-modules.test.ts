import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import { createBundleCopies } from './bundle-copies.ts';
import { freshDigest, type Filed } from './fresh-digest.ts';
import { findSharedModules, sharedModules } from './shared-modules.ts';

function bundle(imports: readonly string[], more: Readonly<Record<string, string>> = {}): Tree {
  return tree({
    'skills/b/SKILL.md': skillText('b'),
    'skills/b/src/index.mjs': imports.map((path) => `import '${path}';\n`).join(''),
    'skills/b/src/own.mjs': '',
    ...more,
  });
}

function skillIn(files: Tree): Filed & { readonly root: string } {
  const dir = files.at('skills/b');
  return { dir, file: files.at('skills/b/SKILL.md'), loose: false, root: files.at('skills') };
}

test('modules are those outside of the bundle in the same root, also through each other', () => {
  using files = bundle(
    ['./own.mjs', '../../lib/a.mjs', '../../../out.mjs', '../../.env.json', '../../lib/a.txt'],
    {
      'skills/lib/a.mjs': "export * from './b.ts';\nconst c = await import('../c.json');\n",
      'skills/lib/b.ts': "import '../b/src/own.mjs';\n",
      'skills/lib/unused.mjs': '',
      'skills/lib/a.txt': '',
      'skills/c.json': '{}',
      'skills/.env.json': '{}',
      'out.mjs': '',
    },
  );
  const skill = skillIn(files);
  assert.deepEqual(
    sharedModules(skill).map(({ name }) => name),
    ['../c.json', '../lib/a.mjs', '../lib/b.ts'],
  );
  for (const root of [undefined, '', skill.dir, files.at('other')]) {
    const others = { dir: skill.dir, ...(root === undefined ? {} : { root }) };
    assert.deepEqual(findSharedModules(others), { modules: [], areMissing: false });
  }
});

test('the digest covers shared modules, also those that appear later', () => {
  using files = bundle(['../../lib/a.mjs'], { 'skills/lib/a.mjs': '// 1\n', 'skills/lib/b.mjs': '' });
  const skill = skillIn(files);
  const copies = createBundleCopies({ folder: undefined, days: 30 });
  const digests = new Set<string>();
  const isNew = (): boolean => {
    const digest = freshDigest(skill) ?? '';
    const { size } = digests;
    assert.ok(digest !== '' && copies.open({ ...skill, name: 'b' }, digest) !== undefined);
    return digests.add(digest).size > size;
  };
  assert.deepEqual([isNew(), isNew()], [true, false]);
  writeFileSync(files.at('skills/lib/a.mjs'), "import './b.mjs';\n");
  assert.equal(isNew(), true);
  writeFileSync(files.at('skills/lib/unused.mjs'), '');
  assert.equal(isNew(), false);
  rmSync(files.at('skills/lib/b.mjs'));
  assert.equal(isNew(), true);
  writeFileSync(files.at('skills/lib/b.mjs'), '// changed\n');
  assert.equal(isNew(), true);
});

test('a module with a million spaces after an import is read at once', () => {
  const text = `import${' '.repeat(1_000_000)}x;\nrequire ( '../../lib/a.mjs' );\n`;
  using files = bundle([], { 'skills/b/src/long.mjs': text, 'skills/lib/a.mjs': '' });
  assert.deepEqual(
    sharedModules(skillIn(files)).map(({ name }) => name),
    ['../lib/a.mjs'],
  );
});
