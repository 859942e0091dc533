import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isAgentError } from '../../core/error.ts';
import type { Skill } from '../../core/skill.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { findDirectory } from './find-directory.ts';
import { mirrorCodeGenerator } from './index.ts';

/** A workspace with a skill, a file and a link out, and a skill outside of it. */
function place(): Tree {
  const files = tree({ 'work/skills/a/specs/x.md': '', 'work/file': '', 'else/b/specs/x.md': '' });
  symlinkSync(files.at('else/b'), files.at('work/link'));
  return files;
}

function find(
  files: Tree,
  directory: string,
  { depth = 1, readable = [] as readonly string[] } = {},
): string {
  const workspace = files.at('work');
  const skill = { name: 'b', aliases: [], dir: files.at('else/b') } as unknown as Skill;
  try {
    return findDirectory(directory, {
      ...createTestScope({ workspace, readable, callable: [skill] }),
      depth,
    });
  } catch (thrown) {
    return isAgentError(thrown) ? thrown.code : String(thrown);
  }
}

describe('the folder that is meant', () => {
  test('may be any in the workspace, for a person', () => {
    using files = place();
    assert.equal(find(files, 'skills/a'), files.at('work/skills/a'));
    assert.equal(find(files, files.at('work/skills/../skills/a/')), files.at('work/skills/a'));
  });

  test('may be that of a skill anywhere', () => {
    using files = place();
    assert.equal(find(files, files.at('else/b')), files.at('else/b'));
    assert.equal(find(files, files.at('else')), 'policy.denied');
    assert.equal(find(files, files.at('else/b/specs')), 'policy.denied');
  });

  test('is a folder, and there', () => {
    using files = place();
    assert.equal(find(files, 'file'), 'usage.bad-input');
    assert.equal(find(files, 'gone'), 'usage.not-found');
    assert.equal(find(files, 'a\0b'), 'usage.bad-input');
  });

  test('does not lead out of the workspace, by dots or links', () => {
    using files = place();
    for (const path of ['..', '../else', '/etc', 'link', 'skills/../../else'])
      assert.equal(find(files, path), 'policy.denied', path);
  });

  test('is one of the skills that it may read, for a skill', () => {
    using files = place();
    const own = files.at('work/skills/a');
    assert.equal(find(files, own, { depth: 2, readable: [own] }), own);
    assert.equal(find(files, own, { depth: 2 }), 'policy.denied');
    assert.equal(find(files, `${own}/specs`, { depth: 2, readable: [own] }), 'policy.denied');
    assert.equal(find(files, files.at('else/b'), { depth: 2, readable: [own] }), 'policy.denied');
  });
});

test('only exactly its own folder is the own one of a skill', () => {
  const isOwn = (directory: string): boolean | undefined =>
    mirrorCodeGenerator.isOwn?.({ directory } as never, '/skills/a');
  assert.deepEqual(['/skills/a', '/skills/a/', '/skills/b/../a'].map(isOwn), [true, true, true]);
  assert.deepEqual(['a', '.', '/skills', '/skills/a/b', '/skills/a b', ''].map(isOwn), Array(6).fill(false));
});
