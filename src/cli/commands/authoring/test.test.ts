import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome } from '../../../../test/support/command.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';
import { openModelServer } from '../../../testing/model-server/server.ts';
import { sourceFile } from '../../../../test/support/source-file.ts';

leaveHome();

const good = '- { name: says hi, prompt: hello, model: { script: [Hi.] }, expect: { text: Hi. } }\n';
const bad = '- { name: says ho, prompt: hello, model: { script: [Hi.] }, expect: { text: Ho. } }\n';

function project(evals?: string, more: Readonly<Record<string, string>> = {}): Tree {
  return tree({
    '.git/HEAD': '',
    'skills/alpha/SKILL.md': skillText('alpha'),
    ...(evals === undefined ? {} : { 'skills/alpha/tests/cases.yaml': evals }),
    ...more,
  });
}

function plain(text: string): string {
  return text.replace(/\b\d+ ms/g, '1 ms');
}

describe('test', { concurrency: true }, () => {
  test('a line for each case, what differs below it, the summary on stderr', async () => {
    using files = project(good + bad);
    const { code, out, err } = await call(['test', '--cwd', files.path]);
    assert.equal(code, 3);
    assert.equal(
      plain(out),
      `ok    alpha › says hi  1 ms
FAIL  alpha › says ho  1 ms  (skills/alpha/tests/cases.yaml:2)
      text
        expected  "Ho."
        got       "Hi."
`,
    );
    assert.equal(err, '1 passed, 1 failed.\n');
    const one = await call(['test', 'alpha', '--filter', 'says hi', '--cwd', files.path, '--quiet']);
    assert.deepEqual([one.code, plain(one.out), one.err], [0, 'ok    alpha › says hi  1 ms\n', '']);
    assert.ok(!existsSync(files.at('.skilled')));
  });

  test('a limit by its name in release 0.1 is said on stderr, with its place and the new name', async () => {
    using files = project(good.replace(' }\n', ', limits: { money: 1 } }\n'));
    const { code, err } = await call(['test', '--cwd', files.path]);
    assert.equal(code, 0);
    assert.match(err, /cases\.yaml:1: warning: "limits\.money" is now "limits\.cost"\. [^\n]*\n1 passed/);
    const { out, err: none } = await call(['test', '--cwd', files.path, '--json', '--quiet']);
    assert.deepEqual([(JSON.parse(out) as { ok: boolean }).ok, none], [true, '']);
  });

  test('--json is one document, --junit a report, --bail ends early', async () => {
    using files = project(bad + good, { 'skills/alpha/tests/more.yml': '- { nam: x }\n' });
    const report = files.at('report.xml');
    const flags = ['--json', '--bail', '--junit', report, '--cwd', files.path];
    const ended = await call(['test', ...flags]);
    assert.equal(ended.code, 3);
    assert.equal(ended.err, '');
    const { ok, results, faults } = documentOf(ended);
    assert.equal(ok, false);
    const [first] = results as readonly Record<string, unknown>[];
    const { milliseconds, ...rest } = first ?? {};
    assert.equal(typeof milliseconds, 'number');
    const file = files.at('skills/alpha/tests/cases.yaml');
    assert.deepEqual(rest, {
      skill: 'alpha',
      name: 'says ho',
      file,
      line: 1,
      ok: false,
      mismatches: [{ what: 'text', expected: '"Ho."', got: '"Hi."' }],
    });
    const more = files.at('skills/alpha/tests/more.yml');
    const hint = 'Did you mean "name"?';
    assert.deepEqual(faults, [{ file: more, line: 1, message: '"nam" is unknown.', hint }]);
    const xml = readFileSync(report, 'utf8');
    assert.match(
      xml,
      /<testcase classname="alpha" name="says ho" time="[\d.]+"><failure message="text: expec/,
    );
    assert.match(xml, /<testsuite name="files" tests="1" failures="1">/);
    const shown = await call(['test', '--filter', 'nothing', '--cwd', files.path]);
    assert.equal(shown.code, 3);
    assert.match(shown.out, /^skills\/alpha\/tests\/more\.yml:1: error: "nam" is unknown\. Did you mean/);
    assert.match(shown.err, /^0 passed, 0 failed, 1 error in files\.$/m);
  });

  test('with --keep a run can be looked at', async () => {
    using files = project(bad);
    const { out, err } = await call(['test', '--keep', '--cwd', files.path]);
    const [, id = ''] = /What happened: skilled trace (\w+)/.exec(out) ?? [];
    assert.match(err, /^Runs are stored in /);
    const traced = await call(['trace', id, '--cwd', files.path]);
    assert.match(traced.out, /^✓ alpha "hello"/m);
  });

  test('--record asks the configured model; from then on its answers are there without one', async () => {
    using files = project(
      '- { name: r, prompt: hello, files: { a.txt: x }, model: { recording: alpha.jsonl }, expect: { text: Hi., calls: [read] } }\n',
    );
    const here = ['alpha', '--cwd', files.path];
    const missing = await call(['test', ...here]);
    assert.match(missing.out, /The recording cannot be read[^]*skilled test --record/);
    await using server = await openModelServer([
      { calls: [{ name: 'read', input: { file_path: 'a.txt' } }] },
      'Hi.',
    ]);
    const model = ['--base-url', `${server.url}/v1`, '--model', 'any'];
    const recorded = await call(['test', ...here, '--record', ...model]);
    assert.equal(recorded.code, 0, recorded.out);
    const again = await call(['test', ...here]);
    assert.equal(again.code, 0, again.out);
    assert.ok(!readFileSync(files.at('skills/alpha/tests/alpha.jsonl'), 'utf8').includes(files.path));
    files.write('skills/alpha/SKILL.md', skillText('alpha', 'Does something else.'));
    files.write('skills/alpha/tests/cases.yaml', '- { prompt: other, model: { recording: alpha.jsonl } }\n');
    const changed = await call(['test', ...here]);
    assert.match(changed.out, /Record them again: skilled test --record/);
  });

  test('without cases it says how to begin; --example is a case that can be read', async () => {
    using files = project();
    const none = await call(['test', '--cwd', files.path]);
    assert.deepEqual([none.code, none.out], [0, '']);
    assert.equal(
      none.err,
      `No tests yet. Write a first one to skills/alpha/tests/cases.yaml: skilled test --example alpha --cwd ${files.path}\n`,
    );
    const example = await call(['test', '--example', 'alpha', '--cwd', files.path]);
    assert.equal(example.code, 0);
    files.write('skills/alpha/tests/cases.yaml', example.out);
    const ended = await call(['test', '--cwd', files.path]);
    assert.match(ended.out, /^FAIL {2}alpha › answers [^]*Set a model for the test/);
    assert.equal(
      errorIn(await call(['test', '--example', '--json', '--cwd', files.path])).code,
      'usage.bad-input',
    );
    assert.equal(
      errorIn(await call(['test', 'nobody', '--json', '--cwd', files.path])).code,
      'skill.not-found',
    );
  });

  test('the cases of the example workshop pass', async () => {
    const workshop = sourceFile('examples/workshop');
    const { code, out, err } = await call(['test', '--cwd', workshop]);
    assert.equal(code, 0, out);
    assert.match(err, /^[1-9]\d* passed, 0 failed\.$/m);
    for (const skill of ['repair-jobs', 'opening-hours']) assert.ok(out.includes(`ok    ${skill} › `), out);
  });
});
