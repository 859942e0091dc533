import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call, documentOf, leaveHome, workspace } from '../../../../test/support/command.ts';
import { skillText, tree } from '../../../../test/support/tree.ts';

leaveHome();

describe('validate', () => {
  test('without a path checks what list looks at', async () => {
    using files = workspace();
    const { code, out, err } = await call(['validate', '--cwd', files.path]);
    assert.equal(code, 0);
    assert.match(out, /^valid {4}skills\/alpha\/SKILL\.md$/m);
    assert.match(err, /^2 valid, 0 invalid/);
    const none = await call(['validate', '--safe', '--cwd', files.path]);
    assert.deepEqual([none.code, none.out], [0, '']);
    assert.match(none.err, /^Nothing to validate here\./);
  });

  test('as JSON has one result for each descriptor', async () => {
    using files = workspace({ 'skills/broken/SKILL.md': '' });
    const ended = await call([
      'validate',
      '--json',
      '--cwd',
      files.path,
      'skills/alpha',
      'skills/broken/SKILL.md',
      'missing',
    ]);
    assert.equal(ended.code, 3);
    assert.equal(ended.err, '');
    const { ok, results } = documentOf(ended) as {
      ok: boolean;
      results: { path: string; valid: boolean; issues: { file: string }[] }[];
    };
    assert.equal(ok, false);
    assert.deepEqual(
      results.map(({ path, valid }) => [path, valid]),
      [
        [files.at('skills/alpha/SKILL.md'), true],
        [files.at('skills/broken/SKILL.md'), false],
        [files.at('missing'), false],
      ],
    );
    assert.equal(results[1]?.issues[0]?.file, files.at('skills/broken/SKILL.md'));
  });

  test('issues are listed below their file, with the line; --strict reports violations of the standard as errors', async () => {
    using files = tree({
      '.git/HEAD': '',
      'skills/alpha/SKILL.md': skillText('alpha', 'x', 'model: fast\n'),
    });
    const lenient = await call(['validate', '--cwd', files.path]);
    assert.equal(lenient.code, 0);
    assert.match(lenient.out, /^valid {4}skills\/alpha\/SKILL\.md\n {2}line 4: info: "model"/);
    assert.equal(lenient.err, '1 valid, 0 invalid.\n');
    const strict = await call(['validate', '--strict', '--cwd', files.path]);
    assert.equal(strict.code, 3);
    assert.match(strict.out, /^invalid {2}skills\/alpha\/SKILL\.md\n {2}line 4: error: "model"/);
  });

  test('a tool that does not exist is rejected by --strict, wherever the skill is', async () => {
    using files = tree({
      '.git/HEAD': '',
      'skills/search/SKILL.md': skillText('search', 'x', 'allowed-tools: Reed\n'),
      'draft/a/SKILL.md': skillText('a', 'x', 'allowed-tools: Read b search Bash(git:*) mcp__x__y\n'),
      'draft/b/SKILL.md': skillText('b', 'x', 'allowed-tools: Wreath\n'),
    });
    const verdictsOf = async (...args: readonly string[]): Promise<unknown> => {
      const { results } = documentOf(await call(['validate', '--json', '--cwd', files.path, ...args])) as {
        results: { valid: boolean; issues: { code: string }[] }[];
      };
      return results.map(({ valid, issues }) => [valid, ...issues.map(({ code }) => code)]);
    };
    const unknown = 'list.unknown-tool';
    assert.deepEqual(await verdictsOf(), [[true, unknown]]);
    assert.deepEqual(await verdictsOf('--strict'), [[false, unknown]]);
    assert.deepEqual(await verdictsOf('draft'), [[true], [true, unknown]]);
    assert.deepEqual(await verdictsOf('--strict', 'draft'), [[true], [false, unknown]]);
  });

  test('of many, only those with findings are listed', async () => {
    const many = Array.from({ length: 30 }, (_, index): [string, string] => [
      `skills/s-${index}/SKILL.md`,
      skillText(`s-${index}`),
    ]);
    using files = tree({ '.git/HEAD': '', ...Object.fromEntries(many), 'skills/broken/SKILL.md': '' });
    const { out, err } = await call(['validate', '--cwd', files.path]);
    assert.equal(out.split('\n').filter((line) => /^(?:in)?valid/.test(line)).length, 1);
    assert.match(err, /^30 valid, 1 invalid/);
  });

  test('a word after -- is a path, whatever it looks like', async () => {
    using files = tree({ '--json/SKILL.md': skillText('json') });
    const { code, out } = await call(['validate', '--cwd', files.path, '--', '--json']);
    assert.equal(code, 0);
    assert.match(out, /^valid {4}--json\/SKILL\.md/);
  });
});
