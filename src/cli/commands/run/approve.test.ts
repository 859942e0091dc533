import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, mock, test } from 'node:test';
import { runCommand, startCommand, type ProcessOptions } from '../../../../test/support/command-process.ts';
import {
  planOutput,
  planFiles,
  modelVariables,
  sleepFiles,
} from '../../../../test/support/command-skills.ts';
import { call, documentOf, errorIn, leaveHome, linesOf } from '../../../../test/support/command.ts';
import { oskillText } from '../../../../test/support/orchestrator-stage.ts';
import { tree, type Tree } from '../../../../test/support/tree.ts';
import type { PendingApproval } from '../../../agent/runs/pending.ts';
import { isAgentError } from '../../../core/error.ts';
import { openModelServer } from '../../../testing/model-server/server.ts';
import { findPending } from './approve.ts';

leaveHome();

function repository(more: Readonly<Record<string, string>> = {}): Tree {
  return tree({ '.git/HEAD': '', ...more });
}

/** Starts a run that waits for approval to write a file. Resolves to the id of the decision. */
async function waiting(files: Tree, name = 'a.txt'): Promise<string> {
  const args = ['run', '/write', '--file_path', name, '--content', 'x', '--json', '-q', '--cwd', files.path];
  const ended = await call(args);
  assert.equal(ended.code, 4, ended.out);
  const document = documentOf(ended);
  return `${String(document['runId'])}/${(document['question'] as { id: string }).id}`;
}

const descriptor = '# invoice-number\n\n## Description\n\nMakes a number.\n';

describe('a decision', () => {
  test('allows it once, and the exit code is that of the run', async () => {
    using files = repository();
    const ended = await call(['approve', await waiting(files), '--cwd', files.path]);
    assert.equal(ended.code, 0, ended.err);
    assert.match(ended.err, /^allowed once: The call to "write" needs approval: .*\n {2}write \{/);
    assert.ok(existsSync(files.at('a.txt')));
  });

  test('denies it with a reason, and nothing happens', async () => {
    using files = repository();
    const id = await waiting(files);
    const ended = await call(['approve', id, '--deny', 'not today', '--cwd', files.path]);
    assert.equal(ended.code, 4);
    assert.match(ended.err, /^denied: The call to "write"/);
    assert.match(ended.err, /^error: Calling "write" was denied: not today$/m);
    assert.ok(!existsSync(files.at('a.txt')));
  });

  test('is the last one if exactly one waits, and otherwise nothing is decided', async () => {
    using files = repository();
    await waiting(files);
    const other = await waiting(files, 'b.txt');
    const { code, hint } = errorIn(await call(['approve', 'last', '--json', '--cwd', files.path]));
    assert.equal(code, 'usage.not-found');
    assert.match(hint ?? '', /^Use one of r_\w{8}\/q_\w{6}, r_\w{8}\/q_\w{6}$/);
    assert.equal((await call(['approve', other, '--cwd', files.path])).code, 0);
    assert.equal((await call(['approve', 'last', '--cwd', files.path])).code, 0);
    assert.ok(existsSync(files.at('a.txt')));
  });

  test('streams only what is new', async () => {
    using files = repository();
    const id = await waiting(files);
    const ended = await call(['approve', id, '--json', '--stream', '--cwd', files.path]);
    const types = linesOf(ended).map(({ type }) => type);
    assert.deepEqual([ended.code, types[0], types.at(-1)], [0, 'run.resumed', 'run.ended']);
  });
});

describe('the list', () => {
  test('says who asks for what since when, and how to decide', async () => {
    using files = repository();
    const [first, second] = [await waiting(files), await waiting(files, 'b.txt')];
    const { code, out, err } = await call(['approve', '--cwd', files.path]);
    assert.deepEqual([code, err], [0, '']);
    const [one = '', other = ''] = out.split(/\n\n/);
    const short = (id: string): string => id.replace(/^(r_.{8}).*(\/q_.{6}).*$/, '$1$2');
    assert.match(one, new RegExp(`^${short(first)}  asked just now, 2[34] h(?: 59 min)? left\\n`));
    assert.match(other, new RegExp(`^${short(second)}  `));
    assert.match(one, /^ {4}a\.txt \(new\)\n {4}\+ x$/m);
    assert.match(one, new RegExp(`^  Allow it once: skilled approve ${short(first)} --cwd /`, 'm'));
    assert.match(one, /^ {2}Allow Write\(\/a\.txt\) in this run: skilled approve .* --run --cwd \S+$/m);
    assert.match(one, /^ {2}Deny it: skilled approve .* --deny "<reason>" --cwd \S+$/m);
    assert.doesNotMatch(one, /--always/);
  });

  test('is one JSON document, and empty where nothing waits or ever ran', async () => {
    using files = repository();
    const empty = { ok: true, approvals: [] };
    assert.deepEqual(documentOf(await call(['approve', '--json', '--cwd', files.path])), empty);
    const [runId, id] = (await waiting(files)).split('/');
    const { approvals } = documentOf(await call(['approve', '--json', '--cwd', files.path]));
    const [pending] = approvals as readonly Record<string, unknown>[];
    const { asks, at, ...rest } = pending ?? {};
    assert.deepEqual(rest, { runId, id, path: [], expired: false });
    assert.ok(typeof at === 'number');
    const { expires, reason, ...call_ } = asks as Record<string, unknown>;
    assert.deepEqual(call_, {
      skill: 'write',
      input: { file_path: 'a.txt', content: 'x' },
      rule: 'Write(/a.txt)',
    });
    assert.ok(typeof reason === 'string' && typeof expires === 'number');
    assert.equal((await call(['approve', String(id), '-q', '--cwd', files.path])).code, 0);
    assert.deepEqual(documentOf(await call(['approve', '--json', '--cwd', files.path])), empty);
  });
});

describe('--always', () => {
  test('is refused without a version, with the setting that allows it, others kept', async () => {
    using files = repository({ 'home/.skilled/settings.json': '{"permissions": {"allow": ["Bash(ls)"]}}' });
    const home = process.env['HOME'];
    process.env['HOME'] = files.at('home');
    try {
      const id = await waiting(files);
      const { code, hint } = errorIn(await call(['approve', id, '--always', '--json', '--cwd', files.path]));
      assert.equal(code, 'usage.bad-input');
      const [, command = ''] = /`(skilled config set .*)`$/.exec(hint ?? '') ?? [];
      assert.equal(command, `skilled config set permissions.allow '["Bash(ls)","Write(/a.txt)"]' --user`);
      const args = ['config', 'set', 'permissions.allow', '["Bash(ls)","Write(/a.txt)"]', '--user'];
      assert.equal((await call([...args, '--cwd', files.path])).code, 0);
      const again = await call([
        'run',
        '/write',
        '--file_path',
        'a.txt',
        '--content',
        'x',
        '--cwd',
        files.path,
      ]);
      assert.equal(again.code, 0, again.err);
    } finally {
      process.env['HOME'] = home;
    }
  });

  test('names no setting that would allow more, or nothing', async () => {
    using files = repository({});
    for (const command of ['rm *', 'COLOR=1 ls', 'ls > files']) {
      const id = String(
        documentOf(await call(['run', '/bash', command, '--json', '--cwd', files.path]))['runId'],
      );
      const { hint = '' } = errorIn(await call(['approve', id, '--always', '--json', '--cwd', files.path]));
      assert.match(hint, /no rule can allow exactly this in all runs/, command);
      assert.doesNotMatch(hint, /config set/, command);
    }
  });

  test('holds for the files as they are, and is asked for again after a change', async () => {
    using files = repository({ 'skills/invoice-number/cskill.md': descriptor });
    const run = ['run', '/invoice-number', '--json', '-q', '--cwd', files.path];
    const first = documentOf(await call(run));
    assert.equal(first['status'], 'waiting', JSON.stringify(first));
    const id = String(first['runId']);
    files.write('skills/invoice-number/cskill.md', `${descriptor}\n`);
    const late = await call(['approve', id, '--always', '--json', '--cwd', files.path]);
    assert.deepEqual([late.code, errorIn(late).code], [3, 'skill.changed']);
    assert.match(errorIn(late).hint ?? '', new RegExp(`skilled resume ${id} --cwd /`));
    const asked = await call(['resume', id, '--cwd', files.path]);
    assert.equal(asked.code, 4, asked.err);
    assert.match(
      asked.err,
      /^ {2}Allow Trust\(.*\) for invoice-number until its files change \(version \w{12}\): /m,
    );
    const given = await call(['approve', id, '--always', '--cwd', files.path]);
    assert.match(given.err, /^allowed for this version: /m);
    assert.notEqual(documentOf(await call(run))['status'], 'waiting', 'it is not asked about again');
    files.write('skills/invoice-number/cskill.md', `${descriptor}\n\n`);
    assert.equal(documentOf(await call(run))['status'], 'waiting', 'one changed byte asks again');
  });
});

describe('the person at the terminal', () => {
  test('may allow it always, and is not asked again', async () => {
    using files = repository({ 'skills/invoice-number/cskill.md': `${descriptor}\nOnce.\n` });
    const prompts: string[] = [];
    const ask = async (prompt: string): Promise<string> => {
      prompts.push(prompt);
      return 'a';
    };
    const run = ['run', '/invoice-number', '--cwd', files.path];
    const { err } = await call(run, { ask });
    assert.match(err, /^ {2}a allows Trust\(invoice-number@(\w{12})\) for .* \(version \1\)$/m);
    await call(run, { ask });
    assert.deepEqual(prompts, ['y once · r this run · a always · n no · ? help > ']);
  });

  test("may be too slow: the run continues with another person's decision", async () => {
    using files = repository();
    const ask = async (prompt: string): Promise<string> => {
      if (!prompt.startsWith('Why not?')) return 'n';
      assert.equal((await call(['approve', 'q_', '--cwd', files.path])).code, 0);
      return 'not today';
    };
    const args = ['--file_path', 'a.txt', '--content', 'x', '--cwd', files.path];
    const { code, err } = await call(['run', '/write', ...args], { ask });
    assert.equal(code, 0, err);
    assert.match(err, /already decided elsewhere/);
    assert.ok(existsSync(files.at('a.txt')));
  });
});

test('after a day it is too late, and the run continues without', async () => {
  using files = repository();
  const id = await waiting(files);
  const [run = ''] = id.split('/');
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 25 * 3_600_000 });
  try {
    const listed = await call(['approve', '--cwd', files.path]);
    assert.match(
      listed.out,
      /^\S+ {2}asked 1 day ago, expired\n[^]* {2}Too late to decide\. .*skilled resume r_/,
    );
    const late = await call(['approve', id, '--json', '--cwd', files.path]);
    assert.deepEqual([late.code, errorIn(late).code], [4, 'policy.expired']);
    const ended = await call(['resume', run, '--json', '--cwd', files.path]);
    assert.deepEqual([ended.code, errorIn(ended).code], [4, 'policy.expired']);
  } finally {
    mock.timers.reset();
  }
});

test('mistakes decide nothing', async () => {
  using files = repository();
  const id = await waiting(files);
  const fault = async (...args: readonly string[]): Promise<string> => {
    const ended = await call(['approve', ...args, '--json', '--cwd', files.path]);
    assert.equal(ended.code, 2);
    return errorIn(ended).message;
  };
  assert.match(await fault(id, '--run', '--always'), /--run and --always/);
  assert.match(await fault(id, '--run', '--deny', 'x'), /--run and --deny/);
  assert.match(await fault(id, '--yes', '--deny', 'x'), /--yes and --deny/);
  assert.match(await fault(id, '--deny'), /^--deny has no value/);
  assert.match(await fault(id, '--safe'), /^--safe denies/);
  assert.match(await fault('--yes'), /^--yes needs an approval id/);
  assert.match(await fault('--always'), /^--always needs an approval id/);
  assert.equal(await fault(id, id), `Unexpected argument "${id}".`);
  assert.match(await fault(' '), /^Missing approval id/);
  assert.match(await fault('r_none'), /^No pending approval matches r_none/);
  const { approvals } = documentOf(await call(['approve', '--json', '--cwd', files.path]));
  assert.equal((approvals as readonly unknown[]).length, 1);
});

test('where nothing was ever kept, nothing is found', async () => {
  using files = repository();
  const ended = await call(['approve', 'q_1', '--json', '--cwd', files.path]);
  assert.deepEqual([ended.code, errorIn(ended).code], [2, 'usage.not-found']);
});

/** Returns the options for starting the program as a separate process. */
function program(files: Tree): ProcessOptions {
  return { env: { HOME: files.at('home'), PATH: '/usr/bin:/bin' }, cwd: files.path };
}

/** Returns the arguments of a command that was printed after some text. */
function commandAfter(text: string, said: string): readonly string[] {
  const line = said.split('\n').find((one) => one.trim().startsWith(text));
  const [, args] = / skilled (.*)$/.exec(line ?? '') ?? [];
  assert.ok(args !== undefined, said);
  return args.split(' ');
}

describe('a run that waits for a decision', { concurrency: true }, () => {
  test('is approved from another process by the line that it printed, and finishes', async () => {
    using files = tree({ '.git/HEAD': '', ...planFiles });
    const how = program(files);
    const begun = await runCommand(['run', '/errand'], how);
    assert.deepEqual([begun.code, begun.out], [4, '']);
    const once = await runCommand(commandAfter('Allow it once:', begun.err), how);
    assert.deepEqual([once.code, once.out], [4, ''], 'the second call is asked about again');
    assert.match(
      once.err,
      /^allowed once: "errand" wants to call "write".*\n {2}errand › write \{"file_path":"loans\/one\.txt"/m,
    );
    assert.match(once.err, /^ {2}loans\/two\.txt \(new\)$/m);
    const done = await runCommand(commandAfter('Allow it once:', once.err), how);
    assert.deepEqual([done.code, done.out], [0, planOutput], done.err);
  });

  for (const [flag, outcome] of [
    ['--run', 'allowed for this run'],
    ['--yes', 'allowed once'],
  ] as const) {
    test(`continues to its end with ${flag}`, async () => {
      using files = tree({ '.git/HEAD': '', ...planFiles });
      const how = program(files);
      const { runId } = documentOf(await runCommand(['run', '/errand', '--json', '-q'], how));
      const ended = await runCommand(['approve', String(runId), flag], how);
      assert.deepEqual([ended.code, ended.out], [0, planOutput], ended.err);
      const times = flag === '--run' ? 1 : 2;
      assert.equal(
        ended.err.match(new RegExp(`^${outcome}: "errand" wants to`, 'gm'))?.length,
        times,
        ended.err,
      );
    });
  }

  test('is followed when another process works on it', async () => {
    const script = '@loan write loan.txt 1\n@talk sleep\n@last final_answer "lent" $loan.path "and" $talk';
    const sections = { 'Allowed Skills': '- write\n- sleep', Script: `\`\`\`sop\n${script}\n\`\`\`` };
    using files = tree({
      '.git/HEAD': '',
      'home/.agents/skills/vigil/oskill.md': oskillText('vigil', sections),
      ...sleepFiles,
    });
    const woken = Promise.withResolvers<string>();
    await using server = await openModelServer(() => woken.promise);
    const { env, ...how } = program(files);
    const options = { env: { ...env, ...modelVariables(server) }, ...how };
    const first = startCommand(['run', '/vigil', '--json', '--stream', '-q'], options);
    try {
      await first.printed('"approval.requested"');
      const second = startCommand(['approve', 'q_'], options);
      await second.printed('Following a run in another process');
      woken.resolve('woken');
      const { code, out, err } = await second.ended;
      assert.deepEqual([code, out], [0, 'lent loan.txt and woken\n'], err);
      assert.equal((await first.ended).code, 0);
    } finally {
      first.child.kill('SIGKILL'); // after a failure, it would keep waiting
    }
  });
});

const asks = { skill: 'lend', input: null, reason: 'It can.', rule: 'Lend' };
const pending = ['r_aa/q_11', 'r_aa/q_12', 'r_ab/q_11', 'r_b/q_3', 'r_bb/q_33'].map(
  (name): PendingApproval => {
    const [runId = '', id = ''] = name.split('/');
    return { runId, id, path: [], asks, at: 0, expired: false };
  },
);

function found(arg: string): string {
  try {
    const { runId, id } = findPending(pending, arg);
    return `${runId}/${id}`;
  } catch (thrown) {
    assert.ok(isAgentError(thrown) && thrown.code === 'usage.not-found');
    return `${thrown.message} ${thrown.hint ?? ''}`;
  }
}

test('a decision is named by its question, its run or both, and by their beginnings', () => {
  assert.equal(found('q_12'), 'r_aa/q_12');
  assert.equal(found('r_ab'), 'r_ab/q_11');
  assert.equal(found('r_aa/q_11'), 'r_aa/q_11');
  assert.equal(found('r_aa/q_12'), 'r_aa/q_12');
  assert.equal(found('r_ab/q'), 'r_ab/q_11');
  assert.equal(found('q_33'), 'r_bb/q_33');
});

test('a whole id goes before the beginning of another one', () => {
  assert.equal(found('q_3'), 'r_b/q_3');
  assert.equal(found('r_b'), 'r_b/q_3');
});

test('two runs may ask the same question, and one run two: nothing is decided by chance', () => {
  assert.equal(found('q_11'), 'q_11 matches 2 pending approvals. Use one of r_aa/q_11, r_ab/q_11');
  assert.equal(found('r_aa'), 'r_aa matches 2 pending approvals. Use one of r_aa/q_11, r_aa/q_12');
  assert.match(found('r_'), /^r_ matches 5 pending approvals\./);
});

test('what is not there is not found', () => {
  for (const arg of ['q_2', 'r_c', 'r_aa/q_3', 'r_aa/', '/q_12', '/', 'r_aa/q_12/', 'q_12/r_aa'])
    assert.equal(
      found(arg),
      `No pending approval matches ${arg}. List pending approvals: \`skilled approve\``,
    );
});
