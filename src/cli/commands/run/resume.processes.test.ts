import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  call,
  documentOf,
  errorIn,
  leaveHome,
  sameUser,
  linesOf,
  writeHistory,
} from '../../../../test/support/command.ts';
import { startCommand } from '../../../../test/support/command-process.ts';
import { modelVariables, sleepFiles } from '../../../../test/support/command-skills.ts';
import { tree, type Tree } from '../../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { defineSkill } from '../../../core/define-skill.ts';
import { openModelServer } from '../../../testing/model-server/server.ts';

leaveHome();

async function waiting(files: Tree, ...args: readonly string[]): Promise<string> {
  const ended = await call(['run', ...args, '--json', '--quiet', '--cwd', files.path]);
  return String(documentOf(ended)['runId']);
}

async function eventsOf(files: Tree, id: string): Promise<number> {
  return linesOf(await call(['runs', 'export', id, '--cwd', files.path])).length;
}

describe('a run that waits', () => {
  test('for an approval is not resumed when no one decides', async () => {
    using files = tree({ '.git/HEAD': '' });
    const id = await waiting(files, '/bash', '--command', 'ls');
    const before = await eventsOf(files, id);
    const ended = await call(['resume', 'last', '--cwd', files.path]);
    assert.deepEqual([ended.code, ended.out], [4, '']);
    assert.match(ended.err, /Allow it once: skilled approve r_\w+\/q_\w+ [^]*\n {2}Deny it: /);
    const streamed = linesOf(await call(['resume', id, '--json', '--stream', '--cwd', files.path]));
    assert.deepEqual(
      streamed.map(({ type }) => type),
      ['run.waiting'],
    );
    assert.equal(await eventsOf(files, id), before);
    const said = errorIn(await call(['resume', id, 'hello', '--json', '--cwd', files.path]));
    assert.match(
      said.hint ?? '',
      /^Allow it once: `skilled approve r_.*`; deny it: `skilled approve r_.* --deny/,
    );
  });

  test('takes the number of an option', async () => {
    using files = tree({ '.git/HEAD': '' });
    const id = await waiting(files, '/ask-user', 'Name?', '--options', '["Ann", "Bob"]');
    assert.equal((await call(['resume', id, '2', '--cwd', files.path])).out, 'Bob\n');
    const again = linesOf(await call(['resume', id, '--json', '--stream', '--cwd', files.path]));
    assert.deepEqual(
      again.map(({ type }) => type),
      ['run.ended'],
    );
    assert.deepEqual(Object.keys(again[0] ?? {}).slice(0, 6), ['v', 'runId', 'frameId', 'seq', 'at', 'type']);
  });

  test('of a skill that only a program knows is not touched, but an answer is kept', async () => {
    using files = tree({ '.git/HEAD': '' });
    const store = files.at('.skilled/skilled.db');
    const shop = defineSkill({
      name: 'shop',
      description: 'Asks for a name.',
      async run(_input, scope) {
        return { status: 'done', text: JSON.stringify(await scope.ask({ text: 'Name?' })) };
      },
    });
    await using agent = new RecursiveSkilledAgent({ store });
    agent.skills.register(shop);
    const { runId } = await agent.run({ skill: 'shop' }).result;
    const before = await eventsOf(files, runId);
    const bare = await call(['resume', runId, '--json', '--cwd', files.path]);
    assert.deepEqual([bare.code, errorIn(bare).code], [3, 'skill.not-found']);
    assert.match(errorIn(bare).hint ?? '', /defined in code.*agent\.runs\.resume\("r_/);
    assert.match(
      errorIn(await call(['resume', runId, 'Ann', '--json', '--cwd', files.path])).hint ?? '',
      /^Your answer is kept;/,
    );
    assert.equal(await eventsOf(files, runId), before);
    assert.equal((await agent.runs.resume(runId).result).text, '"Ann"');
  });
});

test('rerun of a skill that only a program knows makes no run', async () => {
  using files = tree({ '.git/HEAD': '' });
  const id = await writeHistory(files.at('.skilled/skilled.db'));
  const ended = await call(['rerun', id, '--json', '--cwd', files.path]);
  assert.deepEqual([ended.code, errorIn(ended).code], [3, 'skill.not-found']);
  const { runs } = documentOf(await call(['runs', '--json', '--cwd', files.path]));
  assert.equal((runs as readonly unknown[]).length, 1);
});

test('Ctrl+C while another process works on a run ends only the following', async () => {
  using files = tree({ '.git/HEAD': '', ...sleepFiles });
  await using server = await openModelServer([{ hang: 'request' }]);
  const env = { ...modelVariables(server), ...sameUser(), HOME: files.at('home'), PATH: '/usr/bin:/bin' };
  const how = { env, cwd: files.path };
  const first = startCommand(['run', '/sleep', '--json', '-q'], how);
  try {
    await server.waitForRequest(0);
    const second = startCommand(['resume', 'last'], how);
    await second.printed('Ctrl+C stops following');
    second.child.kill('SIGINT');
    assert.equal((await second.ended).code, 130);
    const { runs } = documentOf(await call(['runs', '--json', '--cwd', files.path]));
    assert.equal((runs as readonly { status: string }[])[0]?.status, 'running');
    await call(['runs', 'cancel', (runs as readonly { id: string }[])[0]?.id ?? '', '--cwd', files.path]);
    assert.equal((await first.ended).code, 130);
  } finally {
    first.child.kill('SIGKILL'); // after a failure, it would keep sleeping
  }
});

test('mistakes', async () => {
  const code = async (...args: readonly string[]): Promise<string> =>
    errorIn(await call(['--json', 'resume', ...args])).message;
  assert.match(await code('', 'x'), /^Missing run id/);
  assert.match(await code('r_1', '--yes', '--deny', 'x'), /--yes and --deny/);
  assert.match(await code('r_1', '--deny'), /^--deny has no value/);
});
