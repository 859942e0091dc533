import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { call, documentOf, type Ended } from '../../test/support/command.ts';
import { skillText, tree, type Tree } from '../../test/support/tree.ts';
import { widthOf } from './output/text.ts';

const nobody = tree();
before(() => {
  process.env['HOME'] = nobody.path; // whoever runs the tests may have skills of their own
  for (const name of ['SKILLED_HOME', 'XDG_CONFIG_HOME', 'NO_COLOR', 'FORCE_COLOR'])
    Reflect.deleteProperty(process.env, name);
});
process.on('exit', () => nobody[Symbol.dispose]());

const needs = 'metadata: {skilled: {requires: {bins: [no-such-a, no-such-b], env: [NO_SUCH_VARIABLE]}}}\n';

function workspace(more: Readonly<Record<string, string>> = {}): Tree {
  return tree({
    '.git/HEAD': '',
    'skills/alpha/SKILL.md': skillText('alpha', 'Does the first thing.'),
    'skills/beta/SKILL.md': skillText('beta', 'Does the second thing.', needs),
    ...more,
  });
}

interface SkillDocument {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly source: string;
  readonly status: string;
  readonly missing?: readonly { readonly name: string }[];
  readonly shadowedBy?: string;
}

function skillsIn(ended: Ended): readonly SkillDocument[] {
  return documentOf(ended)['skills'] as readonly SkillDocument[];
}

function errorIn(ended: Ended): { readonly code: string; readonly message: string; readonly hint?: string } {
  const document = documentOf(ended);
  assert.equal(document['ok'], false);
  return document['error'] as { code: string; message: string; hint?: string };
}

describe('list', () => {
  test('shows a table, and notes beside it', async () => {
    using files = workspace();
    const { code, out, err } = await call(['list', '--cwd', files.path]);
    assert.equal(code, 0);
    const lines = out.split('\n');
    assert.match(lines[0] ?? '', /^NAME +FAMILY +SOURCE +STATUS +DESCRIPTION$/);
    assert.match(out, /^alpha +agent-skill +project +ready +Does the first thing\.$/m);
    assert.match(
      out,
      /^beta +agent-skill +project +needs no-such-a, no-such-b, NO_SUCH_VARIABLE +Does the second thing\.$/m,
    );
    assert.match(out, /^read +function +bundled +ready/m);
    assert.match(err, /^2 skills and \d+ bundled: \d+ ready, 1 unavailable\.\n$/);
  });

  test('ls is another word for it', async () => {
    using files = workspace();
    assert.equal(
      (await call(['ls', '--cwd', files.path])).out,
      (await call(['list', '--cwd', files.path])).out,
    );
  });

  test('as JSON has the shape that scripts rely on', async () => {
    using files = workspace({ 'skills/zz/SKILL.md': skillText('alpha'), 'skills/broken/SKILL.md': '' });
    const ended = await call(['list', '--json', '--cwd', files.path]);
    assert.equal(ended.code, 0);
    assert.equal(ended.err, '');
    const document = documentOf(ended);
    assert.deepEqual(Object.keys(document), ['ok', 'version', 'skills', 'diagnostics']);
    assert.deepEqual([document['ok'], document['version']], [true, 1]);
    const own = skillsIn(ended).filter((skill) => skill.source === 'project');
    assert.deepEqual(own[0], {
      name: 'alpha',
      aliases: ['alpha-agent-skill', 'alpha-anthropic', 'project:alpha'],
      family: 'agent-skill',
      source: 'project',
      status: 'ready',
      description: 'Does the first thing.',
      dir: files.at('skills/alpha'),
      file: files.at('skills/alpha/SKILL.md'),
    });
    assert.deepEqual(
      own.map((skill) => [skill.name, skill.status]),
      [
        ['alpha', 'ready'],
        ['alpha', 'shadowed'],
        ['beta', 'unavailable'],
        ['broken', 'invalid'],
      ],
    );
    assert.equal(own[1]?.shadowedBy, files.at('skills/alpha/SKILL.md'));
    assert.deepEqual(
      own[2]?.missing?.map(({ name }) => name),
      ['no-such-a', 'no-such-b', 'NO_SUCH_VARIABLE'],
    );
    for (const finding of document['diagnostics'] as Record<string, unknown>[]) {
      for (const key of ['level', 'code', 'message', 'file'])
        assert.equal(typeof finding[key], 'string', key);
    }
  });

  test('findings are counted on stderr', async () => {
    using files = workspace({ 'skills/broken/SKILL.md': '' });
    const { out, err } = await call(['list', '--cwd', files.path]);
    assert.match(out, /^broken +agent-skill +project +invalid/m);
    assert.match(err, /\n1 finding; "skilled doctor" shows them\.\n$/);
    assert.equal((await call(['list', '--quiet', '--cwd', files.path])).err, '');
  });

  test('an empty workspace teaches the next step', async () => {
    using files = tree({ '.git/HEAD': '' });
    const { code, err } = await call(['list', '--cwd', files.path]);
    assert.equal(code, 0);
    assert.ok(err.includes(files.at('.agents/skills/hello/SKILL.md')), err);
    const named = await call(['list', '--cwd', files.path, '--skills', '.', '--only']);
    assert.equal(named.out, '');
    assert.ok(named.err.includes(files.at('hello/SKILL.md')), named.err);
  });

  test('skills that people do not call are marked', async () => {
    using files = workspace({
      'skills/gamma/SKILL.md': skillText('gamma', 'Works behind.', 'user-invocable: false\n'),
    });
    assert.match((await call(['list', '--cwd', files.path])).out, /^gamma .* \(hidden\) Works behind\.$/m);
  });

  test('text from files cannot steer the terminal', async () => {
    const evil = '"\\e[2J\\e]0;owned\\a\\x9b31m\\u202eRed"';
    using files = workspace({ 'skills/gamma/SKILL.md': skillText('gamma', evil, `when_to_use: ${evil}\n`) });
    const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/; // eslint-disable-line no-control-regex
    for (const args of [
      ['list'],
      ['show', 'gamma'],
      ['validate'],
      ['doctor'],
      ['list', '--json'],
      ['show', 'gamma', '--json'],
    ]) {
      const { out, err } = await call([...args, '--cwd', files.path]);
      assert.doesNotMatch(out + err, steering, args.join(' '));
    }
    const { err } = await call(['show', 'no\u001b[31m-such\u202e', '--cwd', files.path]);
    assert.doesNotMatch(err, steering);
    const [skill] = skillsIn(await call(['list', '--json', '--cwd', files.path])).filter(
      ({ name }) => name === 'gamma',
    );
    assert.match(JSON.stringify(skill), /\\u001b/, 'as data it is all there');
  });

  test('a thousand skills, on a terminal: one line each, none too long, colours in place', async () => {
    const wide = '数据'.repeat(60);
    const many = Array.from({ length: 1_000 }, (_, index): [string, string] => [
      `skills/group-${index % 10}/skill-${index}/SKILL.md`,
      skillText(
        `skill-${index}`,
        index % 2 === 0 ? wide : 'Does something that takes a while to explain. '.repeat(8),
        index % 7 === 0 ? needs : '',
      ),
    ]);
    using files = tree({ '.git/HEAD': '', ...Object.fromEntries(many) });
    const { out, err } = await call(['list', '--cwd', files.path], { width: 80, color: true });
    const lines = out.trimEnd().split('\n');
    assert.ok(lines.length > 1_000);
    for (const line of lines) assert.ok(widthOf(stripVTControlCharacters(line)) <= 80, line);
    assert.match(err, /^1000 skills and \d+ bundled/);
    const plain = await call(['list', '--cwd', files.path], { width: 80 });
    assert.equal(stripVTControlCharacters(out), plain.out);
    const first = plain.out.split('\n').find((line) => line.startsWith('skill-0 ')) ?? '';
    assert.match(first, /^skill-0 +agent-skill +project +needs no-such.*… +(?:数据)+…$/);
  });
});

describe('which skills', () => {
  test('--skills may be repeated, and goes first', async () => {
    using files = workspace({
      'one/alpha/SKILL.md': skillText('alpha', 'Mine.'),
      'two/gamma/SKILL.md': skillText('gamma'),
    });
    const args = ['--cwd', files.path, '--skills', 'one', '--skills', files.at('two')];
    const found = skillsIn(await call(['list', '--json', ...args])).filter(
      (skill) => skill.source !== 'bundled',
    );
    assert.deepEqual(
      found.map((skill) => `${skill.name} ${skill.source} ${skill.status}`),
      ['alpha explicit ready', 'alpha project shadowed', 'beta project unavailable', 'gamma explicit ready'],
    );
    const only = skillsIn(await call(['list', '--json', '--only', ...args]));
    assert.deepEqual(
      only.map((skill) => skill.name),
      ['alpha', 'gamma'],
    );
  });

  test('--only needs --skills, and --skills and --cwd need a folder', async () => {
    using files = workspace({ file: '' });
    for (const args of [
      ['--only'],
      ['--skills', 'missing'],
      ['--skills', 'file'],
      ['--cwd', files.at('missing')],
      ['--cwd', files.at('file')],
    ]) {
      const ended = await call(['list', '--json', '--cwd', files.path, ...args]);
      assert.equal(ended.code, 2, args.join(' '));
      assert.match(errorIn(ended).code, /^usage\./);
      assert.notEqual(errorIn(ended).hint, undefined);
    }
  });

  test('--safe leaves out the project, the user and the settings', async () => {
    using files = workspace({
      'one/gamma/SKILL.md': skillText('gamma'),
      '.skilled/settings.json': '{"skills": {"except": ["read"]}}',
    });
    const status = async (...args: readonly string[]): Promise<string | undefined> =>
      skillsIn(await call(['list', '--json', '--cwd', files.path, ...args])).find(
        ({ name }) => name === 'read',
      )?.status;
    assert.equal(await status(), 'unavailable');
    assert.equal(await status('--safe'), 'ready');
    const safe = skillsIn(await call(['list', '--json', '--safe', '--cwd', files.path, '--skills', 'one']));
    assert.deepEqual(
      safe.filter((skill) => skill.source !== 'bundled').map((skill) => skill.name),
      ['gamma'],
    );
  });
});

describe('show', () => {
  test('tells all that is known of a skill, by any of its names', async () => {
    using files = workspace();
    for (const name of ['beta', 'Beta!', 'project:beta', 'beta-anthropic']) {
      const { code, out, err } = await call(['show', name, '--cwd', files.path]);
      assert.equal(code, 0);
      assert.equal(err, '');
      assert.match(out, /^beta\nDoes the second thing\.\n\n/);
      assert.match(out, /^missing +Install "no-such-a"/m);
      assert.match(out, /^digest +sha256:[0-9a-f]{64}$/m);
    }
  });

  test('as JSON is the entry of the list with its card and digest', async () => {
    using files = workspace({
      'skills/gamma/SKILL.md': skillText(
        'gamma',
        'Does gamma.',
        'when_to_use: Often.\nargument-hint: "[file]"\ninput: {type: object}\nallowed-tools: Read\n',
      ),
    });
    const document = documentOf(await call(['show', 'gamma', '--json', '--cwd', files.path]));
    assert.deepEqual(Object.keys(document), ['ok', 'skill']);
    const skill = document['skill'] as Record<string, unknown>;
    assert.equal(skill['name'], 'gamma');
    assert.equal(skill['description'], 'Does gamma.');
    assert.equal(skill['whenToUse'], 'Often.');
    assert.deepEqual(skill['input'], { type: 'object' });
    assert.deepEqual(skill['allowedTools'], ['Read']);
    assert.match(String(skill['digest']), /^sha256:/);
    assert.deepEqual(skill['issues'], []);
  });

  test('a built-in has its input schema', async () => {
    using files = workspace();
    const { skill } = documentOf(await call(['show', 'read', '--json', '--cwd', files.path])) as {
      skill: { input: { required: string[] } };
    };
    assert.deepEqual(skill.input.required, ['file_path']);
  });

  test('an unusable one is shown with its findings', async () => {
    using files = workspace({ 'skills/broken/SKILL.md': '' });
    const { code, out } = await call(['show', 'broken', '--cwd', files.path]);
    assert.equal(code, 0);
    assert.match(out, /Findings:\n {2}.*broken\/SKILL\.md:1: error: /);
  });

  test('a miss ends with 3 and the nearest names', async () => {
    using files = workspace();
    const ended = await call(['show', 'alhpa', '--json', '--cwd', files.path]);
    assert.equal(ended.code, 3);
    assert.equal(errorIn(ended).code, 'skill.not-found');
    assert.equal(errorIn(ended).hint, 'Did you mean "alpha"?');
    const text = await call(['show', 'alhpa', '--cwd', files.path]);
    assert.deepEqual(text, {
      code: 3,
      out: '',
      err: 'error: There is no skill "alhpa".\n  Did you mean "alpha"?\n',
    });
  });

  test('takes one word, and paths are no names', async () => {
    using files = workspace();
    assert.equal(errorIn(await call(['show', '--json', '--cwd', files.path])).code, 'usage.bad-input');
    assert.equal(
      errorIn(await call(['show', 'a', 'b', '--json', '--cwd', files.path])).code,
      'usage.bad-input',
    );
    for (const name of ['../../etc/passwd', '/etc/passwd', '%2e%2e/alpha', files.at('skills/alpha')]) {
      assert.equal((await call(['show', name, '--cwd', files.path])).code, 3, name);
    }
  });
});

describe('validate', () => {
  test('without a path checks what list looks at', async () => {
    using files = workspace();
    const { code, out, err } = await call(['validate', '--cwd', files.path]);
    assert.equal(code, 0);
    assert.match(out, /^valid {4}skills\/alpha\/SKILL\.md$/m);
    assert.match(err, /^2 valid, 0 invalid/);
    const none = await call(['validate', '--safe', '--cwd', files.path]);
    assert.deepEqual([none.code, none.out], [0, '']);
    assert.match(none.err, /nothing to validate/);
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

  test('findings stand below their file, with the line; --strict makes errors of the standard', async () => {
    using files = tree({
      '.git/HEAD': '',
      'skills/alpha/SKILL.md': skillText('alpha', 'x', 'model: fast\n'),
    });
    const lenient = await call(['validate', '--cwd', files.path]);
    assert.equal(lenient.code, 0);
    assert.match(lenient.out, /^valid {4}skills\/alpha\/SKILL\.md\n {2}line 4: warning: "model"/);
    assert.equal(lenient.err, '1 valid, 0 invalid, 1 warning.\n');
    const strict = await call(['validate', '--strict', '--cwd', files.path]);
    assert.equal(strict.code, 3);
    assert.match(strict.out, /^invalid {2}skills\/alpha\/SKILL\.md\n {2}line 4: error: "model"/);
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

describe('doctor', () => {
  test('tells how each check came out, and ends with 0 or 3', async () => {
    using files = workspace();
    const good = await call(['doctor', '--cwd', files.path]);
    assert.equal(good.code, 0);
    assert.match(good.out, /^ok {4}runtime: Node /);
    assert.match(
      good.out,
      /^warn {2}eligibility: 1 skill cannot be used here\n {6}beta: Install "no-such-a"/m,
    );
    files.write('skills/broken/SKILL.md', '');
    const bad = await call(['doctor', '--cwd', files.path]);
    assert.equal(bad.code, 3);
    assert.match(bad.out, /^FAIL {2}skills: .*1 invalid\n {6}.*broken/m);
  });

  test('as JSON', async () => {
    using files = workspace({ 'skills/broken/SKILL.md': '' });
    const ended = await call(['doctor', '--json', '--cwd', files.path]);
    assert.equal(ended.code, 3);
    assert.equal(ended.err, '');
    const document = documentOf(ended);
    assert.deepEqual(Object.keys(document), ['ok', 'checks', 'roots', 'unavailable', 'diagnostics']);
    assert.equal(document['ok'], false);
    assert.deepEqual(
      (document['checks'] as { id: string }[]).map(({ id }) => id),
      ['runtime', 'roots', 'skills', 'eligibility', 'diagnostics'],
    );
    assert.equal((document['unavailable'] as SkillDocument[])[0]?.name, 'beta');
  });

  test('long details are cut short for people', async () => {
    const many = Array.from({ length: 40 }, (_, index): [string, string] => [
      `skills/s-${index}/SKILL.md`,
      skillText(`s-${index}`, 'x', needs),
    ]);
    using files = tree({ '.git/HEAD': '', ...Object.fromEntries(many) });
    const { out } = await call(['doctor', '--cwd', files.path]);
    assert.match(out, /… and 25 more; --json shows all/);
    assert.ok(out.split('\n').length < 50);
  });
});

describe('the command line itself', () => {
  const mistakes: readonly (readonly [args: readonly string[], code: string, hint: RegExp])[] = [
    [['lsit'], 'usage.unknown-command', /Did you mean "list"/],
    [['frobnicate'], 'usage.unknown-command', /skilled help/],
    [['list', '--jsno'], 'usage.unknown-flag', /--json/],
    [['--jsno', 'list'], 'usage.unknown-flag', /--json/],
    [['list', '--no-colour'], 'usage.unknown-flag', /--no-color/],
    [['list', '-x'], 'usage.unknown-flag', /--help/],
    [['--frobnicate'], 'usage.unknown-flag', /--help/],
    [['list', '--strict'], 'usage.unknown-flag', /--help/],
    [['list', '--skills'], 'usage.bad-input', /--help/],
    [['list', '--json=yes'], 'usage.bad-input', /--help/],
    [['list', 'word'], 'usage.bad-input', /Usage: skilled list/],
    [['doctor', 'word'], 'usage.bad-input', /Usage: skilled doctor/],
    [['help', 'lsit'], 'usage.unknown-command', /Did you mean "list"/],
  ];
  for (const [args, code, hint] of mistakes) {
    test(`${args.join(' ')}: ${code}`, async () => {
      const text = await call(args);
      assert.deepEqual([text.code, text.out], [2, '']);
      assert.match(text.err, /^error: .*\n {2}.*\n$/);
      assert.match(text.err, hint);
      const ended = await call([...args, '--json']);
      assert.equal(ended.code, 2);
      assert.equal(ended.err, '');
      assert.equal(errorIn(ended).code, code);
    });
  }

  test('help is the answer when it is asked for', async () => {
    const overview = await call([]);
    assert.equal(overview.code, 0);
    for (const name of ['list', 'show', 'validate', 'doctor'])
      assert.match(overview.out, new RegExp(`^  ${name} `, 'm'));
    for (const args of [['help'], ['--help'], ['-h']]) assert.deepEqual(await call(args), overview);
    const list = await call(['list', '--help']);
    assert.match(list.out, /^List the skills.*\n\nUsage: skilled list/);
    for (const args of [
      ['help', 'list'],
      ['list', '-h'],
      ['-h', 'list'],
    ])
      assert.deepEqual(await call(args), list);
    assert.equal(documentOf(await call(['help', 'list', '--json']))['help'], list.out);
  });

  test('the version', async () => {
    const { code, out } = await call(['--version', '--no-color']);
    assert.equal(code, 0);
    assert.match(out, /^\d+\.\d+\.\d+\n$/);
    assert.deepEqual(documentOf(await call(['-v', '--json'])), { ok: true, version: out.trim() });
  });

  test('flags may stand before the command', async () => {
    using files = workspace();
    const after = await call(['list', '--json', '--cwd', files.path]);
    assert.deepEqual(await call(['--json', '--cwd', files.path, 'list']), after);
    assert.deepEqual(await call(['--cwd', files.path, 'list', '--json']), after);
  });

  test('--json after -- is no flag, also for errors', async () => {
    using files = workspace();
    const { code, out, err } = await call(['show', '--cwd', files.path, '--', '--json']);
    assert.deepEqual([code, out], [3, '']);
    assert.match(err, /There is no skill "--json"/);
  });
});
