import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { skillText, tree } from '../../../test/support/tree.ts';
import { codeFilesOf } from './fresh-digest.ts';
import { runsCode } from './bundle-files.ts';

describe('a skill can run code', () => {
  test('when its family says so, or a folder of scripts comes with it', () => {
    using files = tree({ 'a/SKILL.md': '', 'b/scripts/x': '', 'c/scripts': '', 'd.md': '' });
    mkdirSync(files.at('a/references'));
    assert.equal(runsCode({ dir: files.at('a') }, true), true);
    assert.equal(runsCode({ dir: files.at('a') }, false), false);
    assert.equal(runsCode({ dir: files.at('b') }, false), true);
    assert.equal(runsCode({ dir: files.at('c') }, false), false);
    assert.equal(runsCode({ dir: files.at('nowhere') }, false), false);
    assert.equal(runsCode({ dir: '' }, false), false);
  });

  test('but a loose file has nothing to do with the files next to it', () => {
    using files = tree({ 'skills/a.md': '', 'skills/scripts/x.sh': '' });
    assert.equal(runsCode({ dir: files.at('skills'), loose: true }, false), false);
    assert.equal(runsCode({ dir: files.at('skills'), loose: true }, true), true);
  });

  test('also when the folder of scripts is a link', () => {
    using files = tree({ 'a/SKILL.md': '', 'elsewhere/x.sh': '' });
    symlinkSync('../elsewhere', files.at('a/scripts'));
    assert.equal(runsCode({ dir: files.at('a') }, false), true);
  });
});

describe('the files that can run', () => {
  test('are scripts, programs, what is called like one, and the descriptor if its family says so', () => {
    using files = tree({
      'a/SKILL.md': skillText('a'),
      'a/references/style.md': '',
      'a/scripts/any.txt': '',
      'a/tools/make.py': '',
      'a/src/index.ts': '',
      'a/run': '',
      'a/.hidden/x.sh': '',
    });
    chmodSync(files.at('a/run'), 0o755);
    const skill = { dir: files.at('a'), file: files.at('a/SKILL.md'), loose: false };
    const others = ['.hidden/x.sh', 'run', 'scripts/any.txt', 'src/index.ts', 'tools/make.py'];
    assert.deepEqual(codeFilesOf(skill, false), others);
    assert.deepEqual(codeFilesOf(skill, true), ['SKILL.md', ...others]);
    const loose = { dir: files.at('a/references'), file: files.at('a/references/style.md'), loose: true };
    assert.deepEqual([codeFilesOf(loose, true), codeFilesOf(loose, false)], [['style.md'], []]);
  });
});
