import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../../test/support/bubblewrap.ts';
import { call, documentOf, errorIn, leaveHome, linesOf, sameUser } from '../../../../test/support/command.ts';
import { runCommand, startCommand } from '../../../../test/support/command-process.ts';
import {
  planOutput,
  planFiles,
  modelVariables,
  sleepFiles,
} from '../../../../test/support/command-skills.ts';
import { tree, type Tree } from '../../../../test/support/tree.ts';
import { openModelServer } from '../../../testing/model-server/server.ts';

leaveHome();

function repository(files: Readonly<Record<string, string>> = {}): Tree {
  return tree({ '.git/HEAD': '', ...files });
}

function environment(files: Tree): Record<string, string> {
  return { HOME: files.at('home'), PATH: '/usr/bin:/bin', ...sameUser() };
}

async function waiting(files: Tree, ...args: readonly string[]): Promise<string> {
  const ended = await call(['run', ...args, '--json', '--quiet', '--cwd', files.path]);
  assert.equal(ended.code, 4);
  return String(documentOf(ended)['runId']);
}

describe('resume', () => {
  test('continues in another process with the answer', async () => {
    using files = repository();
    const id = await waiting(files, '/ask-user', 'Name?');
    const how = { env: environment(files), cwd: files.path };
    const { code, out, err } = await runCommand(['resume', id.slice(0, 8), 'Ann', 'Lee'], how);
    assert.deepEqual([code, out], [0, 'Ann Lee\n']);
    assert.match(err, /^run r_\w{8} · done · 1 call · .* · skilled trace r_\w{8}\n$/);
  });

  test(
    'continues without an answer once what it waits for is allowed, as by trust',
    { skip: withoutBubblewrap },
    async () => {
      using files = tree({
        '.git/HEAD': '',
        'skills/two/cskill.md':
          '# Two\n\n## Description\n\nGives two.\n\n## Input Format\n\nNothing.\n\n## Output Format\n\nTwo.\n',
        'skills/two/src/index.js': 'export const action = () => 2;\n',
      });
      process.env['SKILLED_HOME'] = files.at('own');
      const id = await waiting(files, '/two');
      const again = await call(['resume', id, '--cwd', files.path]);
      assert.equal(again.code, 4, again.err);
      assert.match(again.err, /"two" needs approval: .* not trusted yet/);
      assert.equal((await call(['trust', 'grant', 'two', '--cwd', files.path])).code, 0);
      const { code, out, err } = await call(['resume', id, '--cwd', files.path]);
      assert.deepEqual([code, out], [0, '2\n'], err);
    },
  );

  test('takes the answer from stdin, and gives one JSON document', async () => {
    using files = repository();
    const id = await waiting(files, '/ask-user', 'Name?');
    const how = { env: environment(files), cwd: files.path, input: 'Ann\n' };
    const ended = await runCommand(['resume', id, '-', '--json'], how);
    assert.deepEqual(
      [ended.code, documentOf(ended)['text'], documentOf(ended)['runId'], ended.err],
      [0, 'Ann', id, ''],
    );
  });

  test('streams only what is new', async () => {
    using files = repository();
    const id = await waiting(files, '/ask-user', 'Name?');
    const ended = await call(['resume', id, 'Ann', '--json', '--stream', '--cwd', files.path]);
    const types = linesOf(ended).map(({ type }) => type);
    assert.deepEqual([ended.code, types[0], types.at(-1)], [0, 'run.resumed', 'run.ended']);
  });

  test('without an answer asks the person at the terminal, and elsewhere prints the question', async () => {
    using files = repository();
    const id = await waiting(files, '/ask-user', 'Name?');
    const silent = await call(['resume', id, '--cwd', files.path]);
    assert.deepEqual([silent.code, silent.out], [4, '']);
    assert.match(silent.err, /ask-user asks: Name\?/);
    const asked = await call(['resume', id, '--cwd', files.path], { ask: () => Promise.resolve('Ann') });
    assert.deepEqual([asked.code, asked.out], [0, 'Ann\n']);
  });

  test('an ended run is shown again, but no longer accepts an answer', async () => {
    using files = repository();
    const id = await waiting(files, '/ask-user', 'Name?');
    assert.equal((await call(['resume', id, 'Ann', '--cwd', files.path])).code, 0);
    assert.equal((await call(['resume', id, '--cwd', files.path])).out, 'Ann\n');
    const ended = await call(['resume', id, 'Bob', '--json', '--cwd', files.path]);
    assert.deepEqual([ended.code, errorIn(ended).code], [2, 'usage.bad-input']);
    assert.match(errorIn(ended).hint ?? '', /skilled rerun/);
  });

  test('an approval is given, for one question or for all, or denied', async () => {
    using files = repository(planFiles);
    const how = { env: environment(files), cwd: files.path };
    const begun = async (): Promise<{ id: string; question: string }> => {
      const ended = documentOf(await runCommand(['run', '/errand', '--json', '-q'], how));
      return { id: String(ended['runId']), question: (ended['question'] as { id: string }).id };
    };
    const all = await runCommand(['resume', (await begun()).id, '--yes'], how);
    assert.deepEqual([all.code, all.out], [0, planOutput]);
    const { id, question } = await begun();
    const one = await runCommand(['resume', id, '--question', question, '--yes', '--json', '-q'], how);
    assert.equal(one.code, 4, 'the second call is asked about again');
    assert.notEqual((documentOf(one)['question'] as { id: string }).id, question);
    const denied = await runCommand(['resume', id, '--deny', 'not today'], how);
    assert.deepEqual([denied.code, denied.out], [0, 'lent only loans/one.txt\n'], 'the caller goes on');
    assert.match(denied.err, /^denied: "errand" wants to call "write"/m);
    const events = linesOf(await call(['trace', id, '--events', '--cwd', files.path]));
    const refused = events.find(({ type }) => type === 'call.refused');
    assert.match((refused?.['error'] as { message: string }).message, /denied: not today$/);
  });

  test('an answer never decides about a call', async () => {
    using files = repository();
    const id = await waiting(files, '/bash', '--command', 'ls');
    const ended = await call(['resume', id, 'yes', '--json', '--cwd', files.path]);
    assert.deepEqual([ended.code, errorIn(ended).code], [2, 'usage.bad-input']);
  });

  test('follows a run that another process works on; --take-over takes it', async () => {
    using files = repository(sleepFiles);
    await using server = await openModelServer(() => ({ hang: 'request' }));
    const how = { env: { ...environment(files), ...modelVariables(server) }, cwd: files.path };
    const first = startCommand(['run', '/sleep', '--json', '-q'], how);
    await server.waitForRequest(0);
    const listed = documentOf(await call(['runs', '--json', '--cwd', files.path]));
    const [run] = listed['runs'] as readonly { id: string; status: string }[];
    assert.equal(run?.status, 'running');
    const second = startCommand(['resume', run.id, '--take-over', '--json', '-q'], how);
    await server.waitForRequest(1);
    assert.equal((await first.ended).code, 1, 'it was overtaken');
    assert.equal((await call(['runs', 'cancel', run.id, '--cwd', files.path])).code, 0);
    assert.equal((await second.ended).code, 130);
  });

  test('mistakes', async () => {
    using files = repository();
    assert.equal((await call(['resume'])).code, 2);
    const nothing = await call(['resume', 'r_1', '--cwd', files.path]);
    assert.equal(nothing.code, 2);
    assert.match(nothing.err, /Run r_1 not found: there are no runs in .*skilled\.db yet/);
    const id = await waiting(files, '/ask-user', 'x');
    const other = await call(['resume', id, 'y', '--question', 'q_none', '--json', '--cwd', files.path]);
    assert.deepEqual([other.code, errorIn(other).code], [2, 'usage.not-found']);
    assert.match(
      (await call(['resume', 'r_none', '--cwd', files.path])).err,
      /No run has the id r_none\.\n.*skilled runs/,
    );
  });
});
