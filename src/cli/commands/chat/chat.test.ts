import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { call, errorIn, leaveHome, linesOf, type Ended } from '../../../../test/support/command.ts';
import { startCommand } from '../../../../test/support/command-process.ts';
import { modelVariables, sleepFiles } from '../../../../test/support/command-skills.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { createScriptedModel } from '../../../models/scripted.ts';
import { openModelServer } from '../../../testing/model-server/server.ts';
import type { Lines } from '../../input/line-reader.ts';

leaveHome();

function repository(files: Readonly<Record<string, string>> = {}): Tree {
  return tree({ '.git/HEAD': '', ...files });
}

/** Returns lines one at a time, and records the prompt of each. */
function saying(said: readonly string[], prompts: string[] = []): () => Promise<Lines> {
  const rest = [...said];
  const next = (prompt: string): Promise<string | undefined> => {
    prompts.push(prompt);
    return Promise.resolve(rest.shift());
  };
  return () => Promise.resolve({ next, [Symbol.dispose]: () => undefined });
}

/** Holds a conversation through a pipe. */
function pipe(files: Tree, said: readonly string[], flags: readonly string[] = []): Promise<Ended> {
  return call(['chat', ...flags, '--cwd', files.path], { openLines: saying(said) });
}

/** Holds a conversation at a terminal. */
function talk(
  files: Tree,
  said: readonly string[],
  how: { readonly flags?: readonly string[]; readonly prompts?: string[] } = {},
): Promise<Ended> {
  const { flags = [], prompts } = how;
  const ask = (): Promise<undefined> => Promise.resolve(undefined);
  return call(['chat', ...flags, '--cwd', files.path], { ask, openLines: saying(said, prompts) });
}

function sessionIn({ err }: Ended): string {
  const [, id = ''] = /skilled chat -r (s_\w{8})/.exec(err) ?? [];
  assert.notEqual(id, '', err);
  return id;
}

async function runsIn(files: Tree, session: string): Promise<number> {
  await using agent = new RecursiveSkilledAgent({ store: files.at('.skilled/skilled.db') });
  return (await agent.runs.list({ session })).length;
}

describe('a conversation through a pipe', () => {
  test('takes each line as a turn: answers on stdout, the way back on stderr', async () => {
    using files = repository({ 'notes.md': '' });
    const ended = await pipe(files, ['/glob *.md', '', '/glob *.txt']);
    assert.deepEqual([ended.code, ended.out], [0, 'notes.md\nNo file matches.\n'], ended.err);
    assert.equal(await runsIn(files, sessionIn(ended)), 2);
  });

  test('answers a question with the next line, and continues with the same run', async () => {
    using files = repository();
    const ended = await pipe(files, ['/ask-user Which way?', 'left', '/tree']);
    assert.equal(ended.code, 0, ended.err);
    assert.match(ended.out, /^left\nrun r_\w{16} · done · 1 call/);
    assert.match(
      ended.err,
      /^ask-user asks: Which way\?\n {2}Your next line answers it; \/cancel drops it\.$/m,
    );
    assert.equal(await runsIn(files, sessionIn(ended)), 1);
  });

  test('ends with 4 while something waits, which another process resumes', async () => {
    using files = repository();
    const first = await pipe(files, ['/ask-user Which way?']);
    assert.deepEqual([first.code, first.out], [4, '']);
    const second = await pipe(files, ['left'], ['-c']);
    assert.deepEqual([second.code, second.out], [0, 'left\n'], second.err);
    assert.equal(sessionIn(second), sessionIn(first));
  });

  test('does not lose a run that needs a model if it is answered without one', async () => {
    using files = repository({ 'skills/pots/SKILL.md': skillText('pots', 'Sorts pots.') });
    const models = createScriptedModel([
      { calls: [{ name: 'ask-user', input: { question: 'Which pots?' } }] },
      { text: 'Sorted.' },
    ]);
    const store = files.at('.skilled/skilled.db');
    mkdirSync(files.at('.skilled'));
    await using agent = new RecursiveSkilledAgent({ startDir: files.path, store, models });
    const first = await agent.run({ prompt: '/pots', session: 's_00000000' }).result;
    assert.equal(first.status, 'waiting', first.text);
    const ended = await pipe(files, ['red'], ['-r', 's_00000000', '--offline']);
    assert.match(ended.err, /^error: "pots" needs a model to continue, and none is available\.$/m);
    assert.equal(ended.code, 4);
    assert.equal((await agent.run({ prompt: 'red', session: 's_00000000' }).result).text, 'Sorted.');
  });

  test('asks no one about what needs approval, and takes no line for a decision', async () => {
    using files = repository();
    const ended = await pipe(files, ['/bash ls', '/glob *.md']);
    assert.deepEqual([ended.code, ended.out], [4, 'No file matches.\n'], ended.err);
    assert.match(ended.err, /^ {2}Allow it once: skilled approve r_\w+\/q_\w+/m);
  });

  test('continues after a line that fails, and ends with its code', async () => {
    using files = repository();
    const ended = await pipe(files, ['/read nowhere.txt', '/glob *.md']);
    assert.deepEqual([ended.code, ended.out], [2, 'No file matches.\n'], ended.err);
  });

  test('what is denied is a failure, and no wait', async () => {
    using files = repository();
    const said = ['/bash ls', '/glob *.md'];
    const ended = await pipe(files, said, ['--safe']);
    assert.deepEqual([ended.code, ended.out], [4, 'No file matches.\n'], ended.err);
    assert.match(ended.err, /denied/);
  });

  test('a line that ends with a backslash continues in the next', async () => {
    using files = repository();
    const ended = await pipe(files, ['/ask-user Which\\', 'way?', '/cancel']);
    assert.match(ended.err, /^ask-user asks: Which\n {2}way\?$/m);
    assert.match(ended.out, /^Dropped the question and cancelled run r_\w+\.\n$/);
    assert.equal(ended.code, 0, 'nothing waits any more');
  });

  test('with --json every line is answered by a line of JSON', async () => {
    using files = repository();
    const said = [
      '/ask-user Which way?',
      'left',
      '/nope',
      '/cost',
      '/skills',
      '/tree',
      '/why',
      '/help',
      '/exit',
    ];
    const ended = await pipe(files, said, ['--json', '--quiet']);
    const lines = linesOf(ended);
    assert.deepEqual(
      lines.map(({ ok }) => ok),
      [false, true, false, true, true, true, true, true],
    );
    const [asked, answered, unknown, cost] = lines;
    assert.deepEqual([asked?.['status'], answered?.['text'], cost?.['runs']], ['waiting', 'left', 1]);
    assert.equal(asked?.['runId'], answered?.['runId']);
    assert.equal((unknown?.['error'] as { code: string }).code, 'skill.not-found');
    assert.deepEqual([ended.code, ended.err], [3, '']);
  });
});

describe('a slash command', () => {
  const skills = {
    'skills/hello_world/SKILL.md': skillText('hello_world', 'Greets.'),
    'skills/quiet/SKILL.md': skillText('quiet', 'For models.', 'user-invocable: false\n'),
    'skills/lacking/SKILL.md': skillText(
      'lacking',
      'Lacks something.',
      'metadata: {skilled: {requires: {bins: [no-such-a]}}}\n',
    ),
  };

  const refused: readonly (readonly [line: string, code: number, said: RegExp])[] = [
    ['/hello-world', 3, /^error: .*"\/hello-world"\.\n {2}Did you mean \/hello_world\?$/m],
    ['/Hello_World', 3, /Did you mean \/hello_world\?/],
    ['/xyzzy', 3, /^ {2}.*\/skills .*\/help /m],
    ['/hepl', 3, /Did you mean \/help\?/],
    ['/quiet', 2, /^error: "quiet" is not user-invocable\.\n.* skilled run --skill quiet --cwd \S+$/m],
    ['/lacking', 3, /needs no-such-a/],
    ['@hello-world now', 3, /^error: There is no skill "@hello-world"\.\n {2}Did you mean @hello_world\?$/m],
    ['@hepl', 3, /^ {2}.*\/skills .*\/help /m],
    ['@quiet', 2, /^error: "quiet" is not user-invocable\.\n.* skilled run --skill quiet --cwd \S+$/m],
    ['/', 2, /^error: Missing name after the slash/m],
  ];
  for (const [line, code, said] of refused)
    test(`${line} runs nothing`, async () => {
      using files = repository(skills);
      const ended = await pipe(files, [line]);
      assert.deepEqual([ended.code, ended.out], [code, '']);
      assert.match(ended.err, said);
      assert.doesNotMatch(ended.err, /Continue this conversation/, 'nothing was begun');
    });

  test('that names nothing while a question waits may have been meant as the answer, and says how to give it', async () => {
    using files = repository();
    const ended = await pipe(files, ['/ask-user Which folder?', '/tmp/notes']);
    assert.match(
      ended.err,
      /"\/tmp\/notes"\.\n.* If it is the answer: skilled resume r_\w+ "<answer>" --cwd \S+$/m,
    );
    assert.equal(ended.code, 4, 'the question waits');
  });

  test('of the conversation goes before a skill of the same name, which @ still reaches', async () => {
    using files = repository({ 'skills/tree/SKILL.md': skillText('tree', 'Draws a tree.') });
    const ended = await pipe(files, ['/tree', '@tree'], ['--offline']);
    assert.match(ended.err, /^error: This conversation has no runs yet\.$/m);
    assert.match(ended.err, /^run r_\w+ · failed · 1 call/m, 'it was called, and had no model');
  });
});

describe('the commands of a conversation', () => {
  test('/skills lists what can be called, with what it takes, or what fits some words', async () => {
    using files = repository({
      'skills/deploy/SKILL.md': skillText('deploy', 'Ships a build to a server.', 'argument-hint: <where>\n'),
    });
    const { out } = await pipe(files, ['/skills']);
    assert.match(out, /^\/deploy <where> +Ships a build to a server\.$/m);
    assert.match(out, /^\/ask-user /m);
    const fitting = await pipe(files, ['/skills ship the build']);
    assert.match(fitting.out, /^TYPE +DESCRIPTION\n\/deploy /);
    assert.equal((await pipe(files, ['/skills qqq zzz'])).out, 'No skill matches.\n');
  });

  test('/reload says what came and went', async () => {
    using files = repository();
    const rest = ['/reload', '/reload'];
    const lines = {
      next: (): Promise<string | undefined> => {
        if (rest.length === 1) files.write('skills/later/SKILL.md', skillText('later'));
        return Promise.resolve(rest.shift());
      },
      [Symbol.dispose]: () => undefined,
    };
    const { out } = await call(['chat', '--cwd', files.path], { openLines: () => Promise.resolve(lines) });
    assert.match(out, /^\d+ skills available\.\n\d+ skills available; new: \/later\.\n$/);
  });

  test('/why and /cost report the last run', async () => {
    using files = repository();
    const { out } = await pipe(files, ['/glob *.md', '/why', '/cost']);
    assert.match(out, /"glob" was chosen/);
    assert.match(out, /^last run {6}0 tok\nconversation {2}0 tok in 1 run$/m);
  });

  test('/clear forgets the memory of the session and what is shown of it, not its runs', async () => {
    using files = repository();
    const first = await pipe(files, ['/glob *.md', '/clear', '/glob *.txt']);
    const session = sessionIn(first);
    assert.equal(await runsIn(files, session), 2);
    const second = await talk(files, [], { flags: ['-r', session] });
    assert.match(second.err, /^> \/glob \*\.txt\nNo file matches\.$/m);
    assert.doesNotMatch(second.err, /\*\.md/);
  });
});

describe('which conversation', () => {
  test('-r finds one by the beginning of its id, and shows the last turns of it', async () => {
    using files = repository();
    const session = sessionIn(await pipe(files, ['/glob *.md', '/ask-user Which way?']));
    const prompts: string[] = [];
    const ended = await talk(files, ['left'], { flags: ['-r', session.slice(0, 6)], prompts });
    assert.match(ended.err, /^> \/glob \*\.md\nNo file matches\.\n> \/ask-user Which way\?\n/m);
    assert.match(ended.err, /^ask-user asks: Which way\?$/m);
    assert.deepEqual([ended.out, prompts], ['left\n', ['answer> ', '> ']]);
    assert.equal(sessionIn(ended), session);
  });

  test('one that is not there is named with those that are', async () => {
    using files = repository();
    const none = await call(['chat', '-c', '--json', '--cwd', files.path]);
    assert.deepEqual([none.code, errorIn(none).code], [2, 'usage.not-found']);
    const session = sessionIn(await pipe(files, ['/glob *.md']));
    const other = errorIn(await call(['chat', '-r', 's_nope', '--json', '--cwd', files.path]));
    assert.deepEqual([other.code, other.hint], ['usage.not-found', `The newest are ${session}.`]);
    const both = errorIn(await call(['chat', '-c', '-r', session, '--json', '--cwd', files.path]));
    assert.equal(both.code, 'usage.bad-input');
  });
});

describe('at a terminal', () => {
  test('the first screen says who is asked, what there is, and where help is', async () => {
    using files = repository({ 'skills/one/SKILL.md': skillText('one') });
    const none = await talk(files, []);
    assert.equal(none.code, 0);
    assert.match(none.err, /^No model found\. Set one of ANTHROPIC_API_KEY, .*Ollama\.\n.*\/skills/);
    assert.match(none.err, /^1 skill found, \d+ built in\.\n[^]*\/help/m);
    const offline = await talk(files, [], { flags: ['--offline'] });
    assert.match(offline.err, /^Offline: no model is called\./);
    await using server = await openModelServer(() => 'Well.');
    const flags = ['--base-url', `${server.url}/v1`, '--model', 'llama'];
    assert.match((await talk(files, [], { flags })).err, /^Model: \S*llama.*\n1 skill found/);
    assert.equal((await talk(files, [], { flags: ['--quiet'] })).err, '');
  });

  test('"skilled" alone begins one; anywhere else it is help', async () => {
    using files = repository();
    const how = { ask: () => Promise.resolve(undefined), openLines: saying(['/exit']) };
    const begun = await call(['--cwd', files.path], { ...how, width: 80 });
    assert.match(begun.err, /\/help lists the commands/);
    for (const [args, terminal] of [
      [[], how],
      [['--help'], { ...how, width: 80 }],
      [['--json'], { ...how, width: 80 }],
    ] as const)
      assert.match((await call(args, terminal)).out, /Usage: skilled <command>/);
  });

  test('a line that was not ended is not sent by leaving', async () => {
    using files = repository();
    const ended = await talk(files, ['/glob *.md \\']);
    assert.deepEqual([ended.code, ended.out], [0, '']);
    assert.doesNotMatch(ended.err, /Continue this conversation/);
  });

  test('an approval is asked for right there', async () => {
    using files = repository();
    const openLines = saying(['/write {"file_path": "a.txt", "content": "x"}']);
    const ended = await call(['chat', '--cwd', files.path], { ask: () => Promise.resolve('y'), openLines });
    assert.deepEqual([ended.code, ended.out], [0, 'Created "a.txt", 1 byte.\n'], ended.err);
  });

  test('Ctrl+C stops the run and not the conversation', async () => {
    using files = repository({ 'skills/slow/SKILL.md': skillText('slow', 'Thinks for long.') });
    const asked = Promise.withResolvers<undefined>();
    await using server = await openModelServer(() => {
      asked.resolve(undefined);
      return { hang: 'request' };
    });
    const before = process.listeners('SIGINT');
    const held = talk(files, ['/slow', '/glob *.md'], {
      flags: ['--base-url', `${server.url}/v1`, '--model', 'llama'],
    });
    await asked.promise;
    for (const listener of process.listeners('SIGINT')) if (!before.includes(listener)) listener('SIGINT');
    const ended = await held;
    assert.deepEqual([ended.code, ended.out], [0, 'No file matches.\n'], ended.err);
    assert.match(ended.err, /^error: The run was interrupted\.$/m);
    assert.deepEqual(process.listeners('SIGINT'), before);
  });
});

test('a script that is interrupted stops there, with 130', async () => {
  using files = repository(sleepFiles);
  await using server = await openModelServer([{ hang: 'request' }]);
  const started = startCommand(['chat'], {
    cwd: files.path,
    env: { HOME: files.at('home'), PATH: '/usr/bin:/bin', ...modelVariables(server) },
    input: '/sleep\n/glob *.md\n',
  });
  await server.waitForRequest(0);
  started.child.kill('SIGINT');
  const ended = await started.ended;
  assert.deepEqual([ended.code, ended.out], [130, ''], ended.err);
  assert.match(ended.err, /Continue this conversation: skilled chat -r s_\w{8}\n$/);
});
