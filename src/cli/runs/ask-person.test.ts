import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError, type ErrorCode } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import { tree } from '../../../test/support/tree.ts';
import type { ApprovalRequest } from '../../core/policy.ts';
import type { OpenQuestion } from '../../core/run.ts';
import { askPerson } from './ask-person.ts';

interface Talk {
  readonly isAnswered: boolean;
  readonly given: readonly Json[];
  readonly err: string;
  readonly prompts: readonly string[];
}

async function talk(
  question: Partial<OpenQuestion>,
  lines: readonly string[],
  refuse: (answer: Json) => boolean = () => false,
  code: ErrorCode = 'usage.bad-input',
  cwd = '/',
): Promise<Talk> {
  const given: Json[] = [];
  const prompts: string[] = [];
  const left = [...lines];
  let err = '';
  const isAnswered = await askPerson(
    { id: 'q1', kind: 'input', path: ['daily', 'ask'], text: 'Go?', ...question },
    {
      cwd,
      terminal: { err: (text) => void (err += text), color: false },
      ask: async (prompt) => {
        prompts.push(prompt);
        return left.shift();
      },
      signal: new AbortController().signal,
      give: async (answer) => {
        if (refuse(answer)) throw new AgentError(code, 'It does not fit.');
        given.push(answer);
      },
    },
  );
  return { isAnswered, given, err, prompts };
}

describe('a question', () => {
  test('is answered in words', async () => {
    const { given, err } = await talk({}, [' yes, do ']);
    assert.deepEqual(given, ['yes, do']);
    assert.equal(err, 'daily › ask asks: Go?\n');
  });

  test('by the number of an option, or in other words', async () => {
    const options = ['left', 'ri\u001b[31mght'];
    assert.deepEqual((await talk({ options }, ['1'])).given, ['left']);
    assert.deepEqual((await talk({ options }, ['3'])).given, ['3']);
    assert.deepEqual((await talk({ options }, ['back'])).given, ['back']);
    assert.match((await talk({ options }, ['1'])).err, /\n {2}1\. left\n {2}2\. right\n$/);
  });

  test('in the type that it asks for, and again until the answer fits', async () => {
    const schema = { type: 'integer' };
    const { given, err } = await talk({ schema }, ['some', '7', '8'], (answer) => answer === 7);
    assert.deepEqual(given, [8]);
    assert.match(err, /must be a whole number, got "some"\.\nIt does not fit\.\n$/);
  });

  test('an empty line asks again', async () => {
    const { given, prompts } = await talk({}, ['', '  ', 'yes']);
    assert.deepEqual([given, prompts.length], [['yes'], 3]);
  });

  test('stays open when no answer comes', async () => {
    const { isAnswered, given } = await talk({}, []);
    assert.deepEqual([isAnswered, given], [false, []]);
  });
});

describe('an approval', () => {
  const version = { skill: 'daily', digest: 'sha256:0123456789abcdef0123' };
  const lend = { skill: 'lend', input: { n: 1 }, reason: 'It can.', rule: 'Lend' };
  const bash = { skill: 'bash', input: { command: 'ls' }, reason: 'It runs: ls', rule: 'Bash(ls)' };
  const approval = (asks: ApprovalRequest, path: readonly string[] = ['daily']): Partial<OpenQuestion> => ({
    kind: 'approval',
    id: 'q1',
    path,
    asks,
    text: `"daily" wants to call "${asks.skill}": ${asks.reason}`,
  });
  const cases: readonly (readonly [lines: readonly string[], answer: Json])[] = [
    [['y'], { allow: 'once' }],
    [['R'], { allow: 'run' }],
    [['run'], { allow: 'run' }],
    [['a'], { allow: 'version' }],
    [['', 'sure', 'always'], { allow: 'version' }],
    [['n', 'too late'], { deny: 'too late' }],
    [['n', ''], { deny: 'The user denied the request.' }],
  ];
  for (const [lines, answer] of cases) {
    test(lines.join(', '), async () => {
      assert.deepEqual((await talk(approval({ ...lend, version }), lines)).given, [answer]);
    });
  }

  test('says exactly what would be called, and ? explains what each key would keep', async () => {
    const { err, prompts } = await talk(approval({ ...lend, version }), ['?', 'y']);
    assert.deepEqual(err.split('\n'), [
      '"daily" wants to call "lend": It can.',
      '  n: 1',
      '  y allows this call, once',
      '  r allows Lend in this run',
      '  a allows Lend for daily until its files change (version 0123456789ab)',
      '  n denies it; you can add a reason, which the model reads',
      '',
    ]);
    assert.deepEqual(prompts, Array(2).fill('y once · r this run · a always · n no · ? help > '));
  });

  test('a wrong key says which keys there are', async () => {
    const { err, given } = await talk(approval(lend), ['x', 'y']);
    assert.match(err, /^"x" is not one of the keys: y, r, n, \?\.$/m);
    assert.deepEqual(given, [{ allow: 'once' }]);
  });

  test('shows a command as it was written, and the callers if there are several', async () => {
    const lines = { ...bash, input: { command: 'cd x\n  ls "a  b"' }, reason: 'It runs: cd x\\n  ls "a  b"' };
    assert.equal(
      (await talk(approval(lines), ['y'])).err,
      '"daily" wants to call "bash": It runs:\n  $ cd x\n      ls "a  b"\n',
    );
    const deep = await talk(approval(bash, ['daily', 'fetch']), ['y']);
    assert.equal(deep.err, '"daily" wants to call "bash": It runs:\n  daily › fetch › bash\n  $ ls\n');
  });

  test('shows the change of a file as a difference', async () => {
    using files = tree({ 'a.md': 'one\ntwo\nthree\nfour\nfive\nsix\n' });
    const edit = { skill: 'edit', reason: 'It changes a file.', rule: 'Edit(/a.md)' };
    const shown = async (input: Json, rule = edit.rule): Promise<readonly string[]> =>
      (await talk(approval({ ...edit, rule, input }), ['y'], undefined, undefined, files.path)).err
        .split('\n')
        .slice(1, -1);
    assert.deepEqual(await shown({ file_path: 'a.md', old_string: 'five', new_string: '5\n5b' }), [
      '  a.md',
      '  …',
      '    three',
      '    four',
      '  - five',
      '  + 5',
      '  + 5b',
      '    six',
    ]);
    assert.deepEqual(await shown({ file_path: 'b.md', content: 'new\u202e\n' }, 'Write(/b.md)'), [
      '  b.md (new)',
      '  + new\\u{202e}',
    ]);
    assert.deepEqual(
      await shown({ file_path: '/etc/passwd', content: 'x' }, 'Write(/etc/passwd)'),
      ['  /etc/passwd (new)', '  + x'],
      'a file outside the folder is not read',
    );
  });

  test('is not decided by what was typed before it was shown', async () => {
    const happened: string[] = [];
    const terminal = {
      err: () => void happened.push('shown'),
      forgetTyped: async () => void happened.push('forgotten'),
      color: false,
    };
    const ask = async (): Promise<string> => 'y';
    const { signal } = new AbortController();
    const question = { kind: 'approval', id: 'q1', path: [], text: '', asks: lend } as const;
    await askPerson(question, { terminal, ask, signal, give: async () => void happened.push('given') });
    assert.deepEqual(happened, ['forgotten', 'shown', 'given']);
  });

  test('hides nothing of an input', async () => {
    const { err } = await talk(approval({ ...lend, input: 'a\nb  c\u202ed\u200be' }), ['y']);
    assert.ok(err.includes('  a\n  b  c\\u{202e}d\\u{200b}e\n'), err);
    const command = 'echo `skilled list`';
    const quoted = await talk(approval({ ...bash, input: { command }, reason: `It runs: ${command}` }), [
      'y',
    ]);
    assert.ok(quoted.err.includes(`  $ ${command}\n`), quoted.err);
  });

  test('says how much of a long input is not shown', async () => {
    const { err } = await talk(approval({ ...lend, input: `${'x'.repeat(2_000)}; rm -r *` }), ['y']);
    assert.match(err, /x… \(1,011 more characters: `skilled approve --json`\)$/m);
  });

  test('is not offered always without a version', async () => {
    const { given, prompts } = await talk(approval(lend), ['a', 'always', 'y']);
    assert.deepEqual(given, [{ allow: 'once' }]);
    assert.deepEqual(prompts, Array(3).fill('y once · r this run · n no · ? help > '));
  });

  test('that is asked each time can only be given once', async () => {
    const { given, prompts, err } = await talk(approval({ ...lend, version, each: true }), ['r', 'a', 'y']);
    assert.deepEqual(given, [{ allow: 'once' }]);
    assert.deepEqual(prompts, Array(3).fill('y once · n no · ? help > '));
    assert.doesNotMatch(err, /allows/);
  });

  test('tells the time that is left when that is less than an hour', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const inMinutes = (count: number): number => Date.now() + count * 60_000;
    const soon = await talk(approval({ ...lend, expires: inMinutes(42) }), ['y']);
    assert.match(soon.err, /^ {2}Time left: 42 min$/m);
    const later = await talk(approval({ ...lend, expires: inMinutes(90) }), ['y']);
    assert.doesNotMatch(later.err, /Time left/);
  });

  test('is not given when no answer comes, and no reason either', async () => {
    assert.equal((await talk(approval(lend), ['what'])).isAnswered, false);
    assert.equal((await talk(approval(lend), ['n'])).isAnswered, false);
  });

  test('that somebody else gave meanwhile is not asked for again', async () => {
    const { isAnswered, prompts, err } = await talk(approval(lend), ['y', 'y'], () => true);
    assert.deepEqual([isAnswered, prompts.length], [true, 1], 'the run goes on');
    assert.match(err, /It does not fit\.\n$/);
    const decided = await talk(approval(lend), ['y'], () => true, 'usage.not-found');
    assert.match(decided.err, /\n.*already decided elsewhere\.\n$/);
  });
});
