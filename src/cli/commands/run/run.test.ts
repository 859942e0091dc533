import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  call,
  documentOf,
  errorIn,
  leaveHome,
  linesOf,
  type Ended,
} from '../../../../test/support/command.ts';
import { runCommand, startCommand } from '../../../../test/support/command-process.ts';
import {
  planOutput,
  planFiles,
  modelVariables,
  sleepFiles,
} from '../../../../test/support/command-skills.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { openModelServer } from '../../../testing/model-server/server.ts';

leaveHome();

function repository(files: Readonly<Record<string, string>> = {}): Tree {
  return tree({ '.git/HEAD': '', ...files });
}

function environment(files: Tree): Record<string, string> {
  return { HOME: files.at('home'), PATH: '/usr/bin:/bin' };
}

async function statusOf(files: Tree, runId: unknown): Promise<string> {
  await using agent = new RecursiveSkilledAgent({ store: files.at('.skilled/skilled.db') });
  return (await agent.runs.find(String(runId))).status;
}

test('settings that cannot be used are said before a run that goes without them', async () => {
  using files = repository({ '.skilled/settings.json': '{"limits": {"cost": "two"}}' });
  const ended = await call(['run', '/glob', '*.md', '--cwd', files.path]);
  assert.deepEqual([ended.code, ended.out], [0, 'No file matches.\n']);
  assert.match(ended.err, /^\S+settings\.json:1: error: "limits\.cost" must be /);
});

test('an input that lacks something says what, and where to see what the skill takes', async () => {
  using files = repository();
  const { code, err } = await call(['run', '/ask-user', '--options', '["a"]', '--cwd', files.path]);
  assert.equal(code, 2);
  assert.match(err, /^error: Invalid input for "ask-user": question is required \(string\)\.$/m);
  assert.match(err, /^ {2}Add question\. `skilled show ask-user --cwd \S+` shows its input\.$/m);
});

describe('a run that waits', () => {
  test('ends with 4, says the question and how to answer it, and nothing on stdout', async () => {
    using files = repository();
    const { code, out, err } = await call([
      'run',
      '/ask-user',
      'Name?',
      '--options',
      '["Ann", "Bob"]',
      '--cwd',
      files.path,
    ]);
    assert.deepEqual([code, out], [4, '']);
    assert.match(err, /^ask-user asks: Name\?\n {2}1\. Ann\n {2}2\. Bob\n/m);
    assert.match(err, new RegExp(`  Answer it: skilled resume r_\\w{16} "<answer>" --cwd ${files.path}\\n`));
    assert.match(err, /^run r_\w{8} · waiting · 1 call · \d\.\d s · skilled trace r_\w{8} --cwd \S+\n$/m);
  });

  test('is one JSON document with the question', async () => {
    using files = repository();
    const ended = await call(['run', '/ask-user', 'Name?', '--json', '--quiet', '--cwd', files.path]);
    const { ok, status, skill, question, usage } = documentOf(ended);
    assert.deepEqual([ended.code, ended.err, ok, status, skill], [4, '', false, 'waiting', 'ask-user']);
    assert.equal((question as { text: string }).text, 'Name?');
    assert.deepEqual(usage, { inputTokens: 0, outputTokens: 0 });
  });

  test('streams its events, the wait last', async () => {
    using files = repository();
    const ended = await call(['run', '/ask-user', 'Name?', '--json', '--stream', '--cwd', files.path]);
    assert.equal(ended.code, 4);
    const types = linesOf(ended).map(({ type }) => type);
    assert.deepEqual([types[0], types.at(-1)], ['run.started', 'run.waiting']);
  });

  test('asks the person at the terminal, and continues with the same run', async () => {
    using files = repository();
    const prompts: string[] = [];
    const ask = async (prompt: string): Promise<string> => {
      prompts.push(prompt);
      return '2';
    };
    const ended = await call(['run', '/ask-user', 'Name?', '--options=["Ann", "Bob"]', '--cwd', files.path], {
      ask,
    });
    assert.deepEqual([ended.code, ended.out, prompts], [0, 'Bob\n', ['> ']]);
    assert.match(ended.err, /run r_\w{8} · done · 1 call/);
  });

  test('asks no one with --json, and waits when no answer comes', async () => {
    using files = repository();
    const never = (): Promise<undefined> => assert.fail('nobody is asked');
    assert.equal(
      (await call(['run', '/ask-user', 'x', '--json', '--cwd', files.path], { ask: never })).code,
      4,
    );
    const silent = { ask: () => Promise.resolve(undefined) };
    assert.equal((await call(['run', '/ask-user', 'x', '--cwd', files.path], silent)).code, 4);
  });
});

describe('what needs approval', () => {
  test('waits, and says exactly what would be called', async () => {
    using files = repository();
    const args = ['run', '/bash', '--command', 'ls', '--timeout_ms', '9', '--cwd', files.path];
    const { code, out, err } = await call(args);
    assert.deepEqual([code, out], [4, '']);
    assert.match(err, /^ {2}\$ ls\n {2}timeout_ms: 9$/m);
    assert.match(err, /^ {2}Allow it once: skilled approve r_\w+\/q_\w+ --cwd \S+$/m);
    assert.match(err, /^ {2}Deny it: skilled approve r_\w+\/q_\w+ --deny "<reason>" --cwd \S+$/m);
  });

  test('happens with --yes, which is said unless --quiet', async () => {
    using files = repository(planFiles);
    const runSkill = (...flags: readonly string[]): Promise<Ended> =>
      call(['run', '/errand', ...flags, '--skills', files.at('home/.agents/skills'), '--cwd', files.path]);
    const loud = await runSkill('--yes');
    assert.deepEqual([loud.code, loud.out], [0, planOutput], loud.err);
    assert.equal(loud.err.match(/^allowed once: "errand" wants to call "write"/gm)?.length, 2, loud.err);
    const quiet = await runSkill('-y', '-q');
    assert.deepEqual([quiet.code, quiet.err], [0, '']);
    const streamed = linesOf(await runSkill('-y', '-q', '--json', '--stream'));
    assert.equal(streamed.at(-1)?.['type'], 'run.ended');
    assert.equal(streamed.filter(({ type }) => type === 'approval.resolved').length, 2);
    assert.deepEqual(
      streamed.map(({ seq }) => seq),
      streamed.map((_, index) => index + 1),
      'every event once',
    );
  });

  test('is denied with --safe, and the reason is said', async () => {
    using files = repository();
    const args = ['run', '/bash', '--command', 'ls', '--safe', '--cwd', files.path];
    const { code, err } = await call(args);
    assert.equal(code, 4);
    assert.match(err, /denied: it needs approval, which --safe always denies\./);
    const both = await call([...args, '--yes', '--json']);
    assert.deepEqual([both.code, errorIn(both).code], [2, 'usage.bad-input']);
    assert.match(errorIn(both).message, /--yes allows .*--safe denies/);
  });

  test('is decided by the person at the terminal', async () => {
    using files = repository();
    const lines = ['what?', 'n', 'not today'];
    const ask = async (): Promise<string | undefined> => lines.shift();
    const { code, err } = await call(['run', '/bash', '--command', 'ls', '--cwd', files.path], { ask });
    assert.equal(code, 4);
    assert.match(err, /denied: not today/);
  });
});

test('--max-steps bounds the run, and is what the skill itself may use', async () => {
  using files = repository();
  const args = ['run', '/ask-user', 'x', '--max-steps', '30', '--json', '--stream', '--cwd', files.path];
  const [started] = linesOf(await call(args));
  assert.equal((started?.['limits'] as { steps: number }).steps, 30);
  assert.deepEqual(started?.['wanted'], { maxTicks: 30 });
});

describe('a slash command', () => {
  test('may be one word together with its arguments, which stay unchanged', async () => {
    using files = repository();
    for (const args of [
      ['run', '/ask-user Which "way  home"?'],
      ['-p', '/ask-user Which "way  home"?'],
      ['-p', '/ask-user\nWhich "way  home"?\n', '--session', 'mine'],
    ]) {
      const ended = await call([...args, '--json', '--quiet', '--cwd', files.path]);
      assert.deepEqual([ended.code, documentOf(ended)['text']], [4, 'Which "way  home"?'], ended.out);
    }
  });

  test('takes JSON, a file or stdin after its name', async () => {
    using files = repository({ 'in.txt': 'From a file?' });
    const how = { env: environment(files), cwd: files.path, input: 'From stdin?' };
    const piped = await runCommand(['-p', '/ask-user -', '--json', '-q'], how);
    assert.equal(documentOf(piped)['text'], 'From stdin?');
    for (const [command, text] of [
      ['/ask-user {"question": "JSON?"}', 'JSON?'],
      ['/ask-user @in.txt', 'From a file?'],
    ] as const) {
      const ended = await call(['-p', command, '--json', '-q', '--cwd', files.path]);
      assert.equal(documentOf(ended)['text'], text);
    }
  });

  test('of a skill that is not for people is refused, and a flag still names it', async () => {
    const hidden = skillText('hidden', 'Hides.', 'user-invocable: false\ndisable-model-invocation: true\n');
    using files = repository({ 'skills/hidden/SKILL.md': hidden });
    const common = ['--json', '--quiet', '--offline', '--cwd', files.path];
    for (const args of [['/hidden'], ['/hidden now'], ['/project:hidden', 'now']]) {
      const ended = await call(['run', ...args, ...common]);
      assert.deepEqual([ended.code, errorIn(ended).code], [2, 'usage.bad-input']);
      assert.match(errorIn(ended).hint ?? '', /`skilled run --skill (?:project:)?hidden --cwd /);
    }
    assert.equal(existsSync(files.at('.skilled')), false);
    const flagged = await call(['run', '--skill', 'hidden', 'now', ...common]);
    assert.equal(documentOf(flagged)['skill'], 'hidden');
  });
});

describe('a run that fails', () => {
  test('ends with the code of its error, with the hint on stderr', async () => {
    using files = repository({ 'skills/plain/SKILL.md': skillText('plain') });
    const args = ['run', '/plain', 'do it', '--yes', '--offline', '--cwd', files.path];
    const { code, out, err } = await call(args);
    assert.deepEqual([code, out], [6, '']);
    assert.match(err, /^error: Models are disabled in offline mode\.\n {2}Leave out --offline/m);
    const ended = await call([...args, '--json', '--quiet']);
    assert.deepEqual([ended.code, errorIn(ended).code, ended.err], [6, 'model.unavailable', '']);
    assert.equal(documentOf(ended)['status'], 'failed');
  });

  test('at a limit ends with 5', async () => {
    using files = repository(sleepFiles);
    await using server = await openModelServer(() => ({ hang: 'request' }));
    const model = ['--base-url', `${server.url}/v1`, '--model', 'llama'];
    const where = ['--skills', files.at('home/.agents/skills'), '--cwd', files.path];
    const ended = await call(['run', '/sleep', '--timeout', '1', '--json', '--quiet', ...model, ...where]);
    assert.deepEqual([ended.code, errorIn(ended).code], [5, 'limit.time'], ended.err);
  });

  test('in a store that cannot be used ends with 7', async () => {
    using files = repository();
    await call(['run', '/ask-user', 'x', '--cwd', files.path]);
    files.write('.skilled/skilled.db', 'this is no database, and long enough to be sure of that');
    const ended = await call(['run', '/ask-user', 'x', '--json', '--cwd', files.path]);
    assert.deepEqual([ended.code, errorIn(ended).code], [7, 'sandbox.store']);
    const streamed = await call(['run', '/ask-user', 'x', '--json', '--stream', '--cwd', files.path]);
    assert.equal(linesOf(streamed).at(-1)?.['ok'], false);
  });
});

describe('mistakes are found before anything is run or written', () => {
  const mistakes: readonly (readonly [args: readonly string[], code: string, hint: RegExp])[] = [
    [[], 'usage.bad-input', /\/<skill>/],
    [['make', 'slides', '--pages', '3'], 'usage.unknown-flag', /\/<skill>/],
    [['make slides', '--args-json', '{}'], 'usage.bad-input', /--skill/],
    [['@ask-usr', 'x'], 'skill.not-found', /Did you mean "ask-user"/],
    [['@ask-usr which way?'], 'skill.not-found', /Did you mean "ask-user"/],
    [['@no-such-file.txt'], 'usage.not-found', /^@ means a file;/],
    [['/ask-usr', 'x'], 'skill.not-found', /ask-user/],
    [['/ask-usr which way?'], 'skill.not-found', /Did you mean "ask-user"/],
    [['/ ask-user'], 'usage.bad-input', /\/<skill>/],
    [['/'], 'usage.bad-input', /\/<skill>/],
    [['  '], 'usage.bad-input', /\/<skill>/],
    [['/ask-user', 'x', '--timeout', 'soon'], 'usage.bad-input', /--timeout/],
    [['/ask-user', 'x', '--max-depth', '0'], 'usage.bad-input', /--max-depth/],
    [['/ask-user', 'x', '--max-cost', '-1'], 'usage.bad-input', /--max-cost/],
    [['/ask-user', 'x', '--max-cost=1e3'], 'usage.bad-input', /--max-cost/],
    [['/ask-user', '--qestion', 'x'], 'usage.unknown-flag', /--question/],
    [['/ask-user', 'x', '-z'], 'usage.unknown-flag', /--help/],
    [['/ask-user', '--args-json', '{'], 'usage.bad-input', /quotes/],
  ];
  for (const [args, code, hint] of mistakes) {
    test(`run ${args.join(' ')}: ${code}`, async () => {
      using files = repository();
      const ended = await call(['run', ...args, '--cwd', files.path, '--json']);
      assert.deepEqual([ended.code, errorIn(ended).code], [code === 'skill.not-found' ? 3 : 2, code]);
      assert.match(errorIn(ended).hint ?? '', hint);
      assert.equal(existsSync(files.at('.skilled')), false);
    });
  }

  test('--stream without --json', async () => {
    const { code, err } = await call(['run', '/ask-user', 'x', '--stream']);
    assert.equal(code, 2);
    assert.match(err, /Add --json\./);
  });

  test('an input that the skill itself refuses is a run that failed', async () => {
    using files = repository();
    const ended = await call([
      'run',
      '/ask-user',
      '--options',
      'x',
      '--json',
      '--quiet',
      '--cwd',
      files.path,
    ]);
    assert.deepEqual([ended.code, errorIn(ended).code], [2, 'usage.bad-input']);
    assert.equal(documentOf(ended)['status'], 'failed');
  });
});

describe('where runs are kept', () => {
  test('the folder is made with a list of what git is to ignore, and said once', async () => {
    using files = repository();
    const first = await call(['run', '/ask-user', 'x', '--cwd', files.path]);
    assert.match(first.err, new RegExp(`^Runs are stored in ${files.at('.skilled/skilled.db')}\n`));
    assert.equal(
      readFileSync(files.at('.skilled/.gitignore'), 'utf8'),
      'skilled.db*\ntables.db*\ncache/\nsettings.local.json\n',
    );
    const second = await call(['run', '/ask-user', 'x', '--cwd', files.path]);
    assert.doesNotMatch(second.err, /are kept in/);
    assert.ok(!existsSync(files.at('.skilled/tables.db')), 'no skill has asked for records');
  });

  test('a list that is there stays as it is', async () => {
    using files = repository({ '.skilled/.gitignore': 'mine\n' });
    assert.equal((await call(['run', '/ask-user', 'x', '--quiet', '--cwd', files.path])).code, 4);
    assert.equal(readFileSync(files.at('.skilled/.gitignore'), 'utf8'), 'mine\n');
  });

  test('from below, in the project; or where SKILLED_STORE says', async () => {
    using files = repository({ '.skilled/settings.json': '{}', 'a/b/x': '' });
    const cwd = files.at('a/b');
    assert.equal((await call(['run', '/ask-user', 'x', '--cwd', cwd])).code, 4);
    assert.ok(existsSync(files.at('.skilled/skilled.db')));
    const env = { ...environment(files), SKILLED_STORE: 'other.db' };
    assert.equal((await runCommand(['run', '/ask-user', 'x'], { env, cwd })).code, 4);
    assert.ok(existsSync(files.at('a/b/other.db')));
    assert.ok(!existsSync(files.at('a/b/.skilled')));
  });
});

describe('as a process', { concurrency: true }, () => {
  test('takes its input from stdin, under another spelling of the command', async () => {
    using files = repository();
    const how = { env: environment(files), cwd: files.path, input: 'What is\nyour name?\n' };
    for (const args of [
      ['run', '/ask-user', '-'],
      ['-p', '/ask-user', '-'],
      ['run', '--skill', 'ask-user', '-'],
    ]) {
      const ended = await runCommand([...args, '--json', '-q'], how);
      assert.deepEqual([ended.code, documentOf(ended)['text'], ended.err], [4, 'What is\nyour name?', '']);
    }
  });

  test('Ctrl+C cancels the run and ends with 130', async () => {
    using files = repository(sleepFiles);
    await using server = await openModelServer([{ hang: 'request' }]);
    const how = { env: { ...environment(files), ...modelVariables(server) }, cwd: files.path };
    const started = startCommand(['run', '/sleep', '--json', '--quiet'], how);
    await server.waitForRequest(0);
    started.child.kill('SIGINT');
    const ended = await started.ended;
    assert.deepEqual([ended.code, errorIn(ended).code], [130, 'usage.cancelled']);
    assert.equal(await statusOf(files, documentOf(ended)['runId']), 'cancelled');
  });

  for (const [signal, exitCode] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    test(`${signal} ends with ${exitCode} and says how to continue`, async () => {
      using files = repository(sleepFiles);
      await using server = await openModelServer([{ hang: 'request' }]);
      const how = { env: { ...environment(files), ...modelVariables(server) }, cwd: files.path };
      const started = startCommand(['run', '/sleep'], how);
      await server.waitForRequest(0);
      started.child.kill(signal);
      const { code, err } = await started.ended;
      assert.equal(code, exitCode);
      assert.match(err, /^The run can be resumed: skilled resume r_\w{16}$/m);
    });
  }
});
