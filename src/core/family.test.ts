import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineFamily, type FamilySpec } from './family.ts';

const spec = (id: string): FamilySpec<string> => ({
  id,
  label: 'Demo',
  parse: () => ({ name: '', card: { description: '' }, definition: undefined, issues: [] }),
  execute: () => Promise.resolve({ status: 'done', text: 'Demo' }),
});

test('a family is what was given', () => {
  const given = spec('my-family2');
  assert.equal(defineFamily(given), given);
});

test('an id is lower-case words joined by hyphens', () => {
  for (const id of ['', 'A', '1a', 'a_b', 'a--b', '-a', 'a-', 'a b', 'ä']) {
    assert.throws(() => defineFamily(spec(id)), { code: 'usage.bad-input' }, id);
  }
});

test('a descriptor is the name of a Markdown file, or a folder', () => {
  assert.doesNotThrow(() => defineFamily({ ...spec('a'), descriptor: { file: 'askill.md' } }));
  assert.doesNotThrow(() => defineFamily({ ...spec('a'), descriptor: { folder: 'things' } }));
  for (const file of ['askill.yaml', 'x/askill.md', '..\\askill.md', '']) {
    assert.throws(
      () => defineFamily({ ...spec('a'), descriptor: { file } }),
      { code: 'usage.bad-input' },
      file,
    );
  }
});

test('members that release 0.1 had at the top are found in their capabilities', () => {
  const template = () => ({ 'askill.md': 'text' });
  const family = defineFamily({
    ...spec('a'),
    template,
    readsWords: true,
    permission: () => ({ label: 'A' }),
  } as never);
  assert.deepEqual(family.authoring?.template?.('a'), template());
  assert.equal(family.input?.acceptsText, true);
  assert.deepEqual(family.permission?.describe?.({}), { label: 'A' });
  assert.equal('template' in family, false);
});
