import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome } from '../../../../test/support/command.ts';
import { runCommand } from '../../../../test/support/command-process.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';

leaveHome();

const triage = `---
name: triage
description: Sorts issues.
arguments: [issue, why]
---

# Issue $issue

Because of $1, all: $ARGUMENTS.

Where: !\`echo in "$PWD" for $issue; touch ran\`
`;

function repository(more: Readonly<Record<string, string>> = {}): Tree {
  return tree({ '.git/HEAD': '', 'skills/triage/SKILL.md': triage, ...more });
}

function renderIn(files: Tree, ...args: string[]): ReturnType<typeof call> {
  return call(['render', 'triage', ...args, '--cwd', files.path]);
}

describe('render', () => {
  test('prints the text with its arguments, and runs nothing', async () => {
    using files = repository();
    assert.deepEqual(await renderIn(files, '42', 'slow start'), {
      code: 0,
      out: `# Issue 42

Because of slow start, all: 42 "slow start".

Where: [not run: echo in "$PWD" for '42'; touch ran]
`,
      err: '',
    });
    assert.equal(existsSync(files.at('ran')), false);
    assert.equal(existsSync(files.at('.skilled')), false, 'no run was kept');
  });

  test('takes a slash, and words in the quotes of the name as they are typed', async () => {
    using files = repository();
    for (const args of [['/triage', '42 "slow start"'], ['/triage 42 "slow start"']]) {
      const { out } = await call(['render', ...args, '--cwd', files.path]);
      assert.match(out, /^Because of slow start, all: 42 "slow start"\.$/m);
    }
  });

  test('passes an argument exactly as given, with the spaces around it and no-break spaces', async () => {
    using files = repository();
    for (const args of [
      ['triage', ' 42 so\u00a0slow '],
      ['/triage', ' 42 so\u00a0slow '],
      ['/triage  42 so\u00a0slow '],
    ]) {
      const { out } = await call(['render', ...args, '--cwd', files.path]);
      assert.match(out, /^Because of so\u00a0slow, all: {2}42 so\u00a0slow \.$/m, JSON.stringify(args));
    }
    const { out } = await renderIn(files, '--issue', ' 42 ', '--why', '\u00a0so\n');
    assert.match(out, /^# Issue {2}42 $[^]*^Because of \u00a0so\n,/m);
  });

  test('takes JSON and flags as run does', async () => {
    using files = repository();
    for (const args of [
      ['--args-json', '{"issue": 42, "why": "slow start"}'],
      ['{"issue": 42, "why": "slow start"}'],
      ['--issue', '42', '--why', 'slow start'],
    ]) {
      const { code, out, err } = await renderIn(files, ...args);
      assert.equal(code, 0, err);
      assert.match(out, /^Because of slow start, all: \{"issue":.*"why":"slow start"\}\.$/m);
    }
    assert.match((await renderIn(files, '--args-json', '["a", "b c"]')).out, /^Because of b c,/m);
  });

  test('as JSON is the text, the commands and the replacements, and nothing else', async () => {
    using files = repository();
    const document = documentOf(await renderIn(files, '42', 'late', '--json', '--explain'));
    assert.deepEqual(Object.keys(document), ['ok', 'text', 'commands', 'replacements']);
    assert.deepEqual(document['commands'], [{ command: `echo in "$PWD" for '42'; touch ran`, ran: false }]);
    const body = triage.slice(triage.indexOf('\n\n# Issue') + 1);
    const replacements = document['replacements'] as { placeholder: string; value: string; at: number }[];
    assert.deepEqual(
      replacements.map(({ placeholder, value }) => [placeholder, value]),
      [
        ['$issue', '42'],
        ['$1', 'late'],
        ['$ARGUMENTS', '42 late'],
        ['$issue', '42'],
      ],
    );
    for (const { placeholder, at } of replacements)
      assert.ok(body.startsWith(placeholder, at), `${placeholder} at ${at}`);
  });

  test('knows the session', async () => {
    using files = repository({
      'skills/where/SKILL.md': skillText('where').replace('Do it.', 'In ${SKILLED_SESSION_ID}.'),
    });
    const { out } = await call(['render', 'where', '--session', 'monday', '--cwd', files.path]);
    assert.match(out, /^In monday\.$/m);
  });

  test('needs no trust, no model and no store; a skill that is not for people is rendered too', async () => {
    using files = repository({
      'skills/hidden/SKILL.md': skillText('hidden', 'Hides.', 'user-invocable: false\n'),
    });
    const env = { HOME: files.at('home'), PATH: '/usr/bin:/bin', SKILLED_STORE: '/no/such/folder/x.db' };
    const ended = await runCommand(['render', 'triage', '--offline'], { env, cwd: files.path });
    assert.deepEqual([ended.code, ended.err], [0, ''], ended.err);
    const hidden = await call(['render', '/hidden', '--offline', '--cwd', files.path]);
    assert.deepEqual([hidden.code, hidden.err], [0, ''], hidden.err);
  });

  test('cleans its text for a terminal only', async () => {
    using files = repository({
      'skills/odd/SKILL.md': skillText('odd').replace('Do it.', 'Do \u001b[2Jit.'),
    });
    const args = ['render', 'odd', '--cwd', files.path];
    assert.ok((await call(args)).out.includes('\u001b[2J'));
    assert.ok(!(await call(args, { width: 80 })).out.includes('\u001b'));
  });
});

describe('render --explain', () => {
  test('shows each replacement with its place in the file, and each command', async () => {
    using files = repository();
    const { code, out, err } = await renderIn(files, '42', 'slow\nstart', '--explain');
    assert.deepEqual([code, err], [0, '']);
    assert.equal(
      out,
      `${files.at('skills/triage/SKILL.md')}

WHERE  PLACEHOLDER  VALUE
7:9    $issue       42
9:12   $1           slow\\nstart
9:21   $ARGUMENTS   42 "slow\\nstart"
11:29  $issue       42

RESULT   COMMAND
not run  echo in "$PWD" for '42'; touch ran
`,
    );
    assert.equal(existsSync(files.at('ran')), false);
  });

  test('counts the lines of a file as an editor does: marks, CRLF and blanks before the head', async () => {
    using files = tree({
      '.git/HEAD': '',
      'skills/odd/SKILL.md': '\ufeff---\r\nname: odd\r\ndescription: Odd.\r\n---\r\n\r\nA\r\nis $0.\r\n',
    });
    const { out } = await call(['render', 'odd', 'x', '--explain', '--cwd', files.path]);
    assert.match(out, /^7:4 +\$0 +x$/m);
  });

  test('says when there is nothing to show', async () => {
    using files = repository({ 'skills/plain/SKILL.md': skillText('plain') });
    const { out } = await call(['render', 'plain', '--explain', '--cwd', files.path]);
    assert.match(out, /\n\nNo placeholders have values\.\n\nNo commands\.\n$/);
  });
});

describe('render --run', () => {
  test('asks for what needs approval, as run does', async () => {
    using files = repository();
    const { code, out, err } = await renderIn(files, '42', '--run');
    assert.deepEqual([code, out], [4, '']);
    assert.match(err, /Allow it once: skilled approve r_\w+\/q_\w+/);
    assert.equal(existsSync(files.at('ran')), false);
    const safe = await renderIn(files, '42', '--run', '--safe', '--skills', files.at('skills'));
    assert.equal(safe.code, 4);
    assert.equal(existsSync(files.at('ran')), false);
  });

  test('puts in what the commands say', async () => {
    using files = repository();
    const args = ['42', 'late', '--run', '--yes', '--quiet'];
    const ended = await renderIn(files, ...args);
    assert.equal(ended.code, 0, ended.err);
    assert.match(ended.out, /^# Issue 42\n\nBecause of late, all: 42 late\.\n\nWhere: in \S+ for 42\n$/);
    const document = documentOf(await renderIn(files, ...args, '--json'));
    assert.deepEqual(Object.keys(document), ['ok', 'text', 'commands', 'replacements']);
    const [command] = document['commands'] as { ran: boolean; exitCode: number; output: string }[];
    assert.deepEqual([command?.ran, command?.exitCode], [true, 0]);
    assert.match(command?.output ?? '', /^in \S+ for 42$/);
    assert.match((await renderIn(files, ...args, '--explain')).out, /^exit 0 +echo in /m);
  });

  test('a command that fails leaves nothing on stdout', async () => {
    using files = repository({
      'skills/bad/SKILL.md': skillText('bad').replace('Do it.', 'Before.\n\n!`exit 7`\n\nAfter.'),
    });
    const args = ['render', 'bad', '--run', '--yes', '--quiet', '--cwd', files.path];
    const { code, out, err } = await call(args);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /exit 7/);
    assert.equal(errorIn(await call([...args, '--json'])).code, 'skill.failed');
  });
});

describe('mistakes of render', () => {
  const mistakes: readonly (readonly [args: readonly string[], exit: number, hint: RegExp])[] = [
    [[], 2, /skilled render <skill>/],
    [[''], 2, /skilled render <skill>/],
    [['/'], 3, /skilled list/],
    [['triaje'], 3, /Did you mean "triage"/],
    [['/triaje 42'], 3, /Did you mean "triage"/],
    [['glob', '*'], 2, /./],
    [['triage', '--args-json', '{'], 2, /quotes/],
    [['triage', '--args-json', '{}', 'more'], 2, /Leave out/],
    [['triage', '@missing.txt'], 2, /^@ means a file/],
    [['triage', '-z'], 2, /./],
  ];
  for (const [args, exit, hint] of mistakes) {
    test(`render ${args.join(' ')}`, async () => {
      using files = repository();
      for (const more of [[], ['--run', '--yes']]) {
        const ended = await call(['render', ...args, ...more, '--json', '--cwd', files.path]);
        assert.deepEqual([ended.code, ended.err], [exit, ''], ended.out);
        assert.match(errorIn(ended).hint ?? '', hint);
        assert.equal(existsSync(files.at('.skilled')), false, 'no run began');
      }
    });
  }
});
