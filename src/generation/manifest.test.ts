import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { damaged, forAny, garbageBytes } from '../testing/garbage.ts';
import { tree } from '../../test/support/tree.ts';
import { manifestPath, manifestText, readManifest, type Manifest } from './manifest.ts';

const manifest: Manifest = {
  version: 1,
  tier: 'code',
  generator: 'g',
  contract: 'Adds "ü".\n',
  files: {
    'lib/b.ts': { spec: 'specs/lib/b.md', inputs: 'sha256:1', output: 'sha256:2' },
    'a.ts': { output: 'sha256:4', inputs: 'sha256:3', spec: 'specs/a.md' },
  },
};

test('a manifest comes back as it was written, in one text for equal ones', () => {
  using base = tree();
  const text = manifestText(manifest);
  base.write(manifestPath, text);
  assert.deepEqual(readManifest(base.path), { manifest, issues: [] });
  const turned = { ...manifest, files: Object.fromEntries(Object.entries(manifest.files).reverse()) };
  assert.equal(manifestText(turned), text);
  assert.ok(text.endsWith('}\n'));
  assert.ok(text.indexOf('"a.ts"') < text.indexOf('"lib/b.ts"'));
});

test('a missing manifest is not an issue', () => {
  using base = tree();
  assert.deepEqual(readManifest(base.path), { issues: [] });
});

const broken: Readonly<Record<string, unknown>> = {
  'another version': { ...manifest, version: 2 },
  'a way out of src': { ...manifest, files: { '../index.ts': manifest.files['a.ts'] } },
  'an absolute path': { ...manifest, files: { '/etc/passwd': manifest.files['a.ts'] } },
  'a hidden file': { ...manifest, files: { '.generated.json': manifest.files['a.ts'] } },
  'an entry without a hash': { ...manifest, files: { 'a.ts': { spec: 'specs/a.md' } } },
  'no tier': { ...manifest, tier: undefined },
  'a list': [manifest],
  nothing: null,
};

for (const [what, value] of Object.entries(broken)) {
  test(`a manifest with ${what} is ignored and reported`, () => {
    using base = tree({ [manifestPath]: JSON.stringify(value) });
    const { manifest: read, issues } = readManifest(base.path);
    assert.equal(read, undefined);
    assert.deepEqual(
      issues.map(({ level, code, file }) => [level, code, file]),
      [['warning', 'generation.manifest', base.at(manifestPath)]],
    );
  });
}

test('a manifest that is a link or a folder is none', () => {
  using base = tree({ 'real.json': manifestText(manifest), 'a/src/x': '' });
  mkdirSync(base.at('b', manifestPath), { recursive: true });
  symlinkSync(base.at('real.json'), base.at('a', manifestPath));
  for (const name of ['a', 'b']) assert.equal(readManifest(base.at(name)).issues.length, 1);
});

test('any bytes give a manifest or a finding, never an error', () => {
  using base = tree();
  for (const bytes of [garbageBytes, damaged(manifestText(manifest))]) {
    forAny(bytes, 200, (given) => {
      base.write(manifestPath, given);
      const { manifest: read, issues } = readManifest(base.path);
      assert.equal(issues.length, read === undefined ? 1 : 0);
    });
  }
});
