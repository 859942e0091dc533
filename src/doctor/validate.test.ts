import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, symlinkSync, mkdirSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, test } from 'node:test';
import { skillText, tree, type Tree } from '../../test/support/tree.ts';
import { builtinFamilies } from '../families/index.ts';
import { defaultSkillLimits } from '../skills/limits.ts';
import { validatePaths, validateRoots, type Validation, type ValidateOptions } from './validate.ts';

const lenient: ValidateOptions = { families: builtinFamilies, limits: defaultSkillLimits, strict: false };
const strict: ValidateOptions = { ...lenient, strict: true };

/** Returns the verdicts as `valid path`, with paths relative to the tree. */
function verdicts(files: Tree, results: readonly Validation[]): readonly string[] {
  return results.map(({ path, valid }) => `${valid ? 'valid' : 'invalid'} ${relative(files.path, path)}`);
}

function validate(files: Tree, path: string, options = lenient): readonly string[] {
  return verdicts(files, validatePaths([files.at(path)], options));
}

const subagent = skillText('helper');
const code = '# jobs\n\n## Description\n\nCounts jobs.\n\n## Input Format\n\nText.\n';

describe('a path may be', () => {
  test('a skill folder', () => {
    using files = tree({
      'a/SKILL.md': skillText('a'),
      'a/skills/inner/SKILL.md': skillText('inner'),
      'a/agents/x.md': subagent,
    });
    assert.deepEqual(validate(files, 'a'), ['valid a/SKILL.md']);
  });

  test('a folder with several descriptors', () => {
    using files = tree({ 'jobs/SKILL.md': skillText('jobs'), 'jobs/cskill.md': code });
    assert.deepEqual(validate(files, 'jobs'), ['valid jobs/SKILL.md', 'valid jobs/cskill.md']);
  });

  test('a folder of skills, with groups and loose files', () => {
    using files = tree({
      's/a/SKILL.md': skillText('a'),
      's/group/b/SKILL.md': skillText('b'),
      's/loose.md': skillText('loose'),
      's/prose.md': '# Prose\n',
      's/README.md': skillText('readme'),
    });
    assert.deepEqual(validate(files, 's'), [
      'valid s/a/SKILL.md',
      'valid s/group/b/SKILL.md',
      'valid s/loose.md',
    ]);
  });

  test('a workspace: its standard folders, hidden ones and subagents included, and no prose beside them', () => {
    using files = tree({
      'w/skills/a/SKILL.md': skillText('a'),
      'w/.claude/skills/b/SKILL.md': skillText('b'),
      'w/.agents/agents/helper.md': subagent,
      'w/agents/deep/down.md': subagent,
      'w/CONTRIBUTING.md': '---\ntitle: Contributing\n---\n\nHello.\n',
      'w/template/c/SKILL.md': skillText('c'),
    });
    assert.deepEqual(validate(files, 'w').toSorted(), [
      'valid w/.agents/agents/helper.md',
      'valid w/.claude/skills/b/SKILL.md',
      'valid w/agents/deep/down.md',
      'valid w/skills/a/SKILL.md',
      'valid w/template/c/SKILL.md',
    ]);
  });

  test('what is not a file, or cannot be looked at, is invalid however it is named', () => {
    using files = tree({ 'good/SKILL.md': skillText('good') });
    mkdirSync(files.at('fifo'));
    execFileSync('mkfifo', [files.at('fifo/SKILL.md')]);
    for (const path of ['fifo', 'fifo/SKILL.md', 'a'.repeat(300)]) {
      const results = validatePaths([files.at(path)], lenient);
      assert.ok(results.length > 0 && results.every(({ valid }) => !valid), path.slice(0, 20));
    }
  });

  test('a folder of subagents', () => {
    using files = tree({
      'agents/helper.md': subagent,
      'agents/team/other.md': subagent,
      'agents/x/SKILL.md': skillText('x'),
    });
    const results = validatePaths([files.at('agents')], lenient);
    assert.deepEqual(verdicts(files, results).toSorted(), [
      'valid agents/helper.md',
      'valid agents/team/other.md',
      'valid agents/x/SKILL.md',
    ]);
    assert.deepEqual(validate(files, 'agents/team'), ['valid agents/team/other.md']);
    const inner = validatePaths([files.at('agents/team')], lenient);
    assert.deepEqual(
      inner.flatMap(({ issues }) => issues),
      [],
    );
  });

  test('a descriptor, in any letter case', () => {
    using files = tree({ 'a/skill.md': skillText('a'), 'b/cskill.md': code });
    assert.deepEqual(validate(files, 'a/skill.md'), ['valid a/skill.md']);
    assert.deepEqual(validate(files, 'b/cskill.md'), ['valid b/cskill.md']);
  });

  test('a subagent, but not a loose file below a folder called agents', () => {
    using files = tree({
      'agents/bad.md': '---\nname: bad\n---\n',
      'agents/work/skills/note.md': skillText('note', 'Does note.', 'tools: 5\n'),
    });
    const [first] = validatePaths([files.at('agents/bad.md')], lenient);
    assert.deepEqual(
      first?.issues.filter(({ level }) => level === 'error').map(({ code: found }) => found),
      ['descriptor.empty'],
    );
    const [second] = validatePaths([files.at('agents/work/skills/note.md')], strict);
    assert.ok(
      second?.issues.some(({ code: found }) => found === 'standard.field'),
      'read as a skill of the standard',
    );
  });

  test('a link to any of them', () => {
    using files = tree({ 'real/SKILL.md': skillText('link') });
    symlinkSync(files.at('real'), files.at('link'));
    symlinkSync(files.at('real/SKILL.md'), files.at('loose.md'));
    assert.deepEqual(validate(files, 'link', strict), ['valid link/SKILL.md']);
    assert.deepEqual(validate(files, 'loose.md'), ['valid loose.md']);
  });

  test('the current folder', () => {
    using files = tree({ 'a/SKILL.md': skillText('a') });
    const before = process.cwd();
    process.chdir(files.at('a'));
    try {
      assert.deepEqual(verdicts(files, validatePaths(['.'], strict)), ['valid a/SKILL.md']);
      assert.deepEqual(verdicts(files, validatePaths(['SKILL.md'], strict)), ['valid a/SKILL.md']);
    } finally {
      process.chdir(before);
    }
  });

  test('several, each descriptor once', () => {
    using files = tree({ 's/a/SKILL.md': skillText('a'), 's/b/SKILL.md': skillText('b') });
    const paths = ['s/b', 's', 's/a/SKILL.md'].map((path) => files.at(path));
    assert.deepEqual(verdicts(files, validatePaths(paths, lenient)).toSorted(), [
      'valid s/a/SKILL.md',
      'valid s/b/SKILL.md',
    ]);
  });
});

describe('a path that holds nothing', () => {
  test('is not valid, and says why', () => {
    using files = tree({ 'empty/x.txt': '', 'notes.txt': skillText('a'), 'prose.md': '# Prose\n' });
    execFileSync('mkfifo', [files.at('pipe.md')]);
    const reasons = ['missing', 'empty', 'notes.txt', 'prose.md', 'pipe.md'].map((path) => {
      const [result, ...more] = validatePaths([files.at(path)], lenient);
      assert.deepEqual(more, []);
      assert.equal(result?.valid, false);
      assert.equal(result.path, files.at(path));
      assert.equal(result.issues[0]?.file, files.at(path));
      return result.issues[0].message;
    });
    assert.deepEqual(reasons, [
      'No readable file or folder was found at this path.',
      'No descriptor was found at this path.',
      'This file is not a descriptor.',
      'The file has no frontmatter, so it is not a skill.',
      'The descriptor cannot be read: it is not a regular file.',
    ]);
  });
});

describe('strict and lenient', () => {
  const cases: readonly (readonly [
    what: string,
    file: string,
    text: string,
    lenient: boolean,
    strict: boolean,
  ])[] = [
    ['a clean skill', 'a/SKILL.md', skillText('a'), true, true],
    ['a name unlike the folder', 'b/SKILL.md', skillText('a'), true, false],
    ['a name in upper case', 'Ab/SKILL.md', skillText('Ab'), true, false],
    ['an extension', 'a/SKILL.md', skillText('a', 'x', 'model: fast\n'), true, false],
    ['metadata that is no text', 'a/SKILL.md', skillText('a', 'x', 'metadata: {a: [1]}\n'), true, false],
    ['no frontmatter', 'a/SKILL.md', '# A\n\nDoes it.\n', true, false],
    ['no description', 'a/SKILL.md', '---\nname: a\n---\nDo it.\n', true, false],
    ['an unquoted colon', 'a/SKILL.md', '---\nname: a\ndescription: Use it: now\n---\nDo it.\n', true, false],
    ['an empty file', 'a/SKILL.md', '', false, false],
    ['frontmatter in another language', 'a/SKILL.md', '---js\nalert(1)\n---\n', false, false],
    ['a secret as description', 'a/SKILL.md', skillText('a', `ghp_${'a1B2c3D4e5'.repeat(4)}`), true, false],
    ['a template as description', 'a/SKILL.md', skillText('a', 'TODO'), true, false],
    ['a link to a missing file', 'a/SKILL.md', `${skillText('a')}See [b](b.md).\n`, true, false],
    ['an entry that is not a tool', 'a/SKILL.md', skillText('a', 'x', 'allowed-tools: Bash(\n'), true, false],
    ['another family', 'jobs/cskill.md', code, true, true],
    [
      'a subagent with settings of its own',
      'agents/helper.md',
      skillText('helper', 'x', 'model: fast\ntools: Read\n'),
      true,
      true,
    ],
  ];
  for (const [what, file, text, inLenient, inStrict] of cases) {
    test(`${what}: ${inLenient ? 'valid' : 'invalid'}, strictly ${inStrict ? 'valid' : 'invalid'}`, () => {
      using files = tree({ [file]: text });
      assert.equal(validatePaths([files.at(file)], lenient)[0]?.valid, inLenient);
      assert.equal(validatePaths([files.at(file)], strict)[0]?.valid, inStrict);
    });
  }

  test('what strict calls an error is a warning otherwise, with its line', () => {
    using files = tree({ 'a/SKILL.md': skillText('a', 'x', 'licence: MIT\n') });
    const level = (options: ValidateOptions): unknown =>
      validatePaths([files.at('a')], options)[0]?.issues.map((issue) => [
        issue.level,
        issue.code,
        issue.line,
        issue.file,
      ]);
    const file = files.at('a/SKILL.md');
    assert.deepEqual(level(lenient), [['warning', 'standard.field', 4, file]]);
    assert.deepEqual(level(strict), [['error', 'standard.field', 4, file]]);
  });
});

describe('validating says what loading does', () => {
  test('a hard link in a root of the user is valid, as it is loaded', () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a'), 'skills.md/b/SKILL.md': '' });
    linkSync(files.at('skills/a/SKILL.md'), files.at('second'));
    const roots = [{ path: files.at('skills'), source: 'user', kind: 'skills' }] as const;
    for (const path of ['skills', 'skills/a', 'skills/a/SKILL.md']) {
      assert.deepEqual(validate(files, path), ['invalid skills/a/SKILL.md'], path);
      assert.deepEqual(validate(files, path, { ...lenient, roots }), ['valid skills/a/SKILL.md'], path);
    }
  });

  test('limits hold', () => {
    using files = tree({ 'a/SKILL.md': skillText('a') });
    const limits = { ...defaultSkillLimits, descriptorBytes: 10 };
    assert.deepEqual(validate(files, 'a', { ...lenient, limits }), ['invalid a/SKILL.md']);
    assert.deepEqual(validate(files, 'a/SKILL.md', { ...lenient, limits }), ['invalid a/SKILL.md']);
  });

  test('a hard link is refused, named as a folder or as a file', () => {
    using files = tree({ 'a/SKILL.md': skillText('a') });
    linkSync(files.at('a/SKILL.md'), files.at('second'));
    assert.deepEqual(validate(files, 'a'), ['invalid a/SKILL.md']);
    assert.deepEqual(validate(files, 'a/SKILL.md'), ['invalid a/SKILL.md']);
  });

  test('a link that leads out is a finding unless its target is allowed', () => {
    using files = tree({ 's/a/SKILL.md': skillText('a'), 'outside/b/SKILL.md': skillText('b') });
    symlinkSync(files.at('outside/b'), files.at('s/b'));
    const [, link] = validatePaths([files.at('s')], lenient);
    assert.equal(link?.path, files.at('s/b'));
    assert.equal(link.issues[0]?.code, 'scan.link-outside');
    const allowed = { ...lenient, allowSymlinkTargets: [files.at('outside')] };
    assert.deepEqual(validate(files, 's', allowed), ['valid s/a/SKILL.md', 'valid s/b/SKILL.md']);
  });

  test('findings of the walk join the verdict on their descriptor', () => {
    using files = tree({ 'a/SKILL.md': skillText('a'), 'a/Skill.md': skillText('a') });
    const results = validatePaths([files.at('a')], lenient);
    assert.equal(results.length, 1);
    assert.deepEqual(
      results[0]?.issues.map((issue) => issue.code),
      ['scan.two-spellings'],
    );
  });

  test('errors in specs count; what is still to be generated of them does not', () => {
    using files = tree({ 'jobs/cskill.md': code, 'jobs/specs/index.ts.md': 'Counts jobs.\n' });
    assert.deepEqual(validate(files, 'jobs'), ['valid jobs/cskill.md']);
    files.write('jobs/specs/index.md', 'Counts jobs, too.\n');
    const [result] = validatePaths([files.at('jobs')], lenient);
    assert.deepEqual([result?.valid, result?.issues.map((issue) => issue.code)], [false, ['spec.clash']]);
  });

  test('roots are validated as they are loaded', () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a'), 'agents/x.md': subagent });
    const results = validateRoots(
      [
        { path: files.at('skills'), source: 'project', kind: 'skills' },
        { path: files.at('agents'), source: 'project', kind: 'agents' },
        { path: files.at('missing'), source: 'project', kind: 'skills' },
      ],
      strict,
    );
    assert.deepEqual(verdicts(files, results), ['valid skills/a/SKILL.md', 'valid agents/x.md']);
  });
});
