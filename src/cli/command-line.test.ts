import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commands } from './commands.ts';
import { call, documentOf, errorIn, leaveHome, workspace } from '../../test/support/command.ts';

leaveHome();

describe('the command line itself', () => {
  const mistakes: readonly (readonly [args: readonly string[], code: string, hint: RegExp])[] = [
    [['lsit'], 'usage.unknown-command', /Did you mean "list"/],
    [['lst'], 'usage.unknown-command', /Did you mean "list"/],
    [['run', '--modle', 'x', 'hi'], 'usage.unknown-flag', /Did you mean --model\?/],
    [['frobnicate'], 'usage.unknown-command', /skilled help/],
    [['list', '--jsno'], 'usage.unknown-flag', /--json/],
    [['--jsno', 'list'], 'usage.unknown-flag', /--json/],
    [['list', '--no-colour'], 'usage.unknown-flag', /--no-color/],
    [['list', '-x'], 'usage.unknown-flag', /--help/],
    [['run', '/ask-user', '-n'], 'usage.unknown-flag', /--help.* -- before arguments .* -- -n$/m],
    [['--frobnicate'], 'usage.unknown-flag', /--help/],
    [['list', '--strict'], 'usage.unknown-flag', /--help/],
    [['list', '--skills'], 'usage.bad-input', /--help/],
    [['list', '--json=yes'], 'usage.bad-input', /--help/],
    [['config', 'set', 'limits.depth', '-1'], 'usage.unknown-flag', /-- before arguments .* -- -1$/m],
    [['list', 'word'], 'usage.bad-input', /Usage: skilled list/],
    [['doctor', 'word'], 'usage.bad-input', /Usage: skilled doctor/],
    [['find'], 'usage.bad-input', /Usage: skilled find/],
    [['find', ' '], 'usage.bad-input', /Usage: skilled find/],
    [['find', 'x', '--limit', '0'], 'usage.bad-input', /--limit/],
    [['find', 'x', '--limit'], 'usage.bad-input', /--help/],
    [['catalog', 'word'], 'usage.bad-input', /Usage: skilled catalog/],
    [['catalog', '--max-chars', 'x'], 'usage.bad-input', /--max-chars/],
    [['catalog', '--max-chars', '-5'], 'usage.bad-input', /--max-chars/],
    [['catalog', '--max-chars=-5'], 'usage.bad-input', /--max-chars/],
    [['catalog', '--max-skills', '1.5'], 'usage.bad-input', /--max-skills/],
    [['catalog', '--max-tokens='], 'usage.bad-input', /--max-tokens/],
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

  test('a skill that --safe leaves out is not told to be in the list', async () => {
    using files = workspace();
    for (const args of [
      ['show', 'alpha'],
      ['run', '/alpha'],
      ['render', 'alpha'],
    ]) {
      const ended = await call([...args, '--safe', '--cwd', files.path]);
      assert.equal(ended.code, 3);
      assert.match(ended.err, /With --safe, .* --skills/);
    }
  });

  test('help is the answer when it is asked for', async () => {
    const overview = await call([]);
    assert.equal(overview.code, 0);
    const names = ['run', 'chat', 'resume', 'rerun', 'runs', 'trace'];
    for (const name of [
      ...names,
      'list',
      'show',
      'find',
      'catalog',
      'validate',
      'audit',
      'models',
      'config',
      'doctor',
    ])
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

  test('the help of every command has an example', async () => {
    for (const { name } of commands) {
      const { code, out } = await call(['help', name]);
      assert.equal(code, 0);
      assert.match(out, new RegExp(`^  (?:source <\\()?skilled ${name}\\b.*$`, 'm'), name);
    }
  });

  test('help fits into a narrow terminal, but for what is to be copied', async () => {
    for (const name of ['', ...commands.map((command) => command.name)]) {
      const wide = await call(['help', name].filter(Boolean));
      const { out } = await call(['help', name].filter(Boolean), { width: 40 });
      const tooWide = out.split('\n').filter((line) => line.length > 40);
      const isCopied = (line: string): boolean => /^ {2}(?:skilled|source|[{ ]*")/.test(line);
      assert.deepEqual(
        tooWide.filter((line) => !isCopied(line)),
        [],
        name,
      );
      const unwrap = (text: string): string => text.split(/\s+/).join(' ');
      assert.equal(unwrap(out), unwrap(wide.out), 'nothing is lost');
    }
  });

  test('help says where runs are kept, and all ways to name a skill', async () => {
    assert.match(
      (await call(['help'])).out,
      /\.skilled\/skilled\.db of the project\.[^.]* set SKILLED_STORE/,
    );
    assert.match((await call(['help', 'run'])).out, /skilled -p \/<skill>[^]*--skill <skill> /);
  });

  test('a failure before any event of a stream is one line', async () => {
    const { out } = await call(['run', '/nope', '--json', '--stream']);
    assert.match(out, /^\{"ok":false,"error":\{"code":"skill\.not-found".*skilled list.*\}\}\n$/);
  });

  test('the version', async () => {
    const { code, out } = await call(['--version', '--no-color']);
    assert.equal(code, 0);
    assert.match(out, /^\d+\.\d+\.\d+\n$/);
    assert.deepEqual(documentOf(await call(['-v', '--json'])), { ok: true, version: out.trim() });
  });

  test('flags may be before the command', async () => {
    using files = workspace();
    const after = await call(['list', '--json', '--cwd', files.path]);
    assert.deepEqual(await call(['--json', '--cwd', files.path, 'list']), after);
    assert.deepEqual(await call(['--cwd', files.path, 'list', '--json']), after);
  });

  test('--json after -- is not a flag, also for errors', async () => {
    using files = workspace();
    const { code, out, err } = await call(['show', '--cwd', files.path, '--', '--json']);
    assert.deepEqual([code, out], [3, '']);
    assert.match(err, /There is no skill "--json"\./);
  });
});
