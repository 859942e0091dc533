import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
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
import { openModelServer } from '../../../testing/model-server/server.ts';
import { widthOf } from '../../output/text.ts';

leaveHome();

async function history(): Promise<Tree & { readonly id: string }> {
  const files = tree({ '.git/HEAD': '' });
  const id = await writeHistory(files.at('.skilled/skilled.db'));
  return { ...files, id };
}

describe('trace', () => {
  test('draws the tree, failures and refusals included', async () => {
    using files = await history();
    const { code, out, err } = await call(['trace', files.id.slice(0, 8), '--cwd', files.path]);
    assert.deepEqual([code, err], [0, '']);
    const timeless = out.replace(/ \d+\.\d s/g, ' T').split('\n');
    assert.deepEqual(timeless, [
      `run ${files.id} · done · 6 calls · T`,
      '✓ daily {"input":"the news"}  T',
      '├ ✓ gather {"day":"monday"}  T',
      '│ ├ ✗ fetch skill.failed: no net  T',
      '│ └ ⊘ nowhere skill.not-found: There is no skill "nowhere".',
      '├ ✓ fetch 1  T',
      '├ ✓ fetch 2  T',
      '└ ✓ fetch 3  T',
      '',
    ]);
  });

  test('every line fits on a narrow terminal', async () => {
    using files = await history();
    for (const view of [[], ['--timeline'], ['--why']]) {
      const { out } = await call(['trace', files.id, ...view, '--cwd', files.path], { width: 40 });
      const lines = out.trimEnd().split('\n');
      assert.ok(lines.length > 3);
      for (const line of lines) assert.ok(widthOf(line) <= 40, line);
    }
  });

  test('why, events and timeline', async () => {
    using files = await history();
    const view = async (...args: readonly string[]): Promise<string> =>
      (await call(['trace', files.id, ...args, '--cwd', files.path])).out;
    assert.match(
      await view('--why'),
      /^\d\.\d s {2}"daily" was chosen by its name\.\n.*gather: The call to "nowhere" was refused/,
    );
    const timeline = (await view('--timeline')).trimEnd().split('\n');
    assert.equal(timeline.length, 7);
    assert.match(timeline[0] ?? '', /^daily +[█·▒]+ +\d\.\d s$/);
    assert.match(timeline.at(-1) ?? '', /waiting for a person/);
    const events = linesOf(await call(['trace', files.id, '--events', '--cwd', files.path]));
    assert.equal(events.at(-1)?.['type'], 'run.ended');
  });

  test('each view is one JSON document', async () => {
    using files = await history();
    const document = async (...args: readonly string[]): Promise<Record<string, unknown>> =>
      documentOf(await call(['trace', files.id, '--json', ...args, '--cwd', files.path]));
    assert.equal(((await document())['run'] as { runId: string }).runId, files.id);
    assert.equal(((await document('--why'))['reasons'] as unknown[]).length, 2);
    assert.equal(((await document('--timeline'))['rows'] as unknown[]).length, 6);
    assert.ok(((await document('--events'))['events'] as unknown[]).length > 10);
    assert.equal(((await document('--follow'))['run'] as { status: string }).status, 'done');
  });

  test('--follow continues until the run ends', async () => {
    using files = tree({ '.git/HEAD': '', ...sleepFiles });
    await using server = await openModelServer([{ hang: 'request' }]);
    const env = { ...modelVariables(server), ...sameUser(), HOME: files.at('home'), PATH: '/usr/bin:/bin' };
    const how = { env, cwd: files.path };
    const run = startCommand(['run', '/sleep', '--json', '-q'], how);
    await server.waitForRequest(0);
    const listed = documentOf(await call(['runs', '--json', '--cwd', files.path]))['runs'];
    const id = (listed as readonly { id: string }[])[0]?.id ?? '';
    const followed = startCommand(['trace', id, '--follow', '--events'], how);
    await followed.printed('frame.started');
    await call(['runs', 'cancel', id, '--cwd', files.path]);
    const ended = await followed.ended;
    assert.deepEqual([ended.code, linesOf(ended).at(-1)?.['type']], [0, 'run.ended']);
    assert.notEqual((await run.ended).code, 0);
  });

  test('--follow in a pipe gives decisions line by line, and says that the tree comes at the end', async () => {
    using files = await history();
    const why = await call(['trace', 'last', '--follow', '--why', '--cwd', files.path]);
    assert.match(why.out, /^ +\d\.\d s {2}"daily" was chosen by its name\.\n/);
    assert.equal(why.err, '');
    const whole = await call(['trace', 'last', '--follow', '--cwd', files.path]);
    assert.match(whole.err, /when the run ends or waits/);
  });

  test('mistakes, and nothing is made where there is nothing', async () => {
    using files = tree({ '.git/HEAD': '' });
    const ended = await call(['trace', 'r_1', '--json', '--cwd', files.path]);
    assert.deepEqual([ended.code, errorIn(ended).code], [2, 'usage.not-found']);
    assert.match(errorIn(ended).hint ?? '', /skilled run/);
    assert.equal(existsSync(files.at('.skilled')), false);
    assert.equal((await call(['trace', '--cwd', files.path])).code, 2);
    assert.match((await call(['trace', 'r_1', '--why', '--events'])).err, /different views/);
  });
});
