import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  call,
  documentOf,
  errorIn,
  leaveHome,
  linesOf,
  writeHistory,
  type Ended,
} from '../../../../test/support/command.ts';
import { tree, type Tree } from '../../../../test/support/tree.ts';

leaveHome();

async function history(): Promise<Tree & { readonly id: string }> {
  const files = tree({ '.git/HEAD': '' });
  const id = await writeHistory(files.at('.skilled/skilled.db'));
  return { ...files, id };
}

function runsIn(ended: Ended): readonly Record<string, unknown>[] {
  return documentOf(ended)['runs'] as readonly Record<string, unknown>[];
}

describe('runs', () => {
  test('lists them newest first, with whole ids in a pipe', async () => {
    using files = await history();
    await call(['run', '/ask-user', 'Name?', '--cwd', files.path]);
    const { code, out, err } = await call(['runs', '--cwd', files.path]);
    assert.deepEqual([code, err], [0, '']);
    const [head, first, second] = out.split('\n');
    assert.match(head ?? '', /^RUN +STATUS +SKILL +STARTED +TOOK +COST +INPUT$/);
    assert.match(first ?? '', /^r_\w{16} +waiting +ask-user +just now +\d/);
    assert.match(second ?? '', new RegExp(`^${files.id} +done +daily +just now +\\d.* the news$`));
  });

  test('on a terminal each fits in one line, with an id that can be copied', async () => {
    using files = await history();
    const { out } = await call(['runs', '--cwd', files.path], { width: 44 });
    const [, line = ''] = out.split('\n');
    assert.ok(line.length <= 44, line);
    assert.ok(line.startsWith(`${files.id.slice(0, 8)} `), line);
  });

  test('a very narrow terminal loses columns and never a part of the status', async () => {
    using files = tree({ '.git/HEAD': '' });
    await call(['run', '/ask-user', 'Name?', '--cwd', files.path]);
    const { out } = await call(['runs', '--cwd', files.path], { width: 30 });
    assert.match(out, /^RUN +STATUS +SKILL\nr_\w{6} +waiting +ask-user\n$/);
  });

  test('as JSON, filtered', async () => {
    using files = await history();
    await call(['run', '/ask-user', 'Name?', '--cwd', files.path]);
    const ids = async (...args: readonly string[]): Promise<readonly unknown[]> =>
      runsIn(await call(['runs', '--json', '--cwd', files.path, ...args])).map(({ skill }) => skill);
    assert.deepEqual(await ids(), ['ask-user', 'daily']);
    assert.deepEqual(await ids('--limit', '1'), ['ask-user']);
    assert.deepEqual(await ids('--status', 'done'), ['daily']);
    assert.deepEqual(await ids('--status', 'done,waiting', '--all'), ['ask-user', 'daily']);
    assert.deepEqual(await ids('--session', 'mine'), ['daily']);
    assert.deepEqual(await ids('--session', 'nobody'), []);
    const [run] = runsIn(await call(['runs', '--json', '--status', 'done', '--cwd', files.path]));
    assert.deepEqual(Object.keys(run ?? {}).sort(), [
      'events',
      'id',
      'owner',
      'session',
      'skill',
      'startedAt',
      'status',
      'title',
      'updatedAt',
    ]);
  });

  test('without runs, says how to start one and creates nothing', async () => {
    using files = tree({ '.git/HEAD': '' });
    const text = await call(['runs', '--cwd', files.path]);
    assert.deepEqual([text.code, text.out], [0, '']);
    assert.match(text.err, /no runs in .*skilled\.db yet.*skilled run/);
    assert.deepEqual(runsIn(await call(['runs', '--json', '--cwd', files.path])), []);
    for (const args of [
      ['show', 'r_1'],
      ['cancel', 'r_1'],
      ['rm', 'r_1'],
      ['export', 'r_1'],
    ]) {
      const ended = await call(['runs', ...args, '--json', '--cwd', files.path]);
      assert.deepEqual([ended.code, errorIn(ended).code], [2, 'usage.not-found']);
    }
    assert.equal((await call(['runs', 'rm', '--older', '1', '--cwd', files.path])).code, 0);
    assert.equal(existsSync(files.at('.skilled')), false);
  });
});

describe('runs show', () => {
  test('the outcome, the usage and the position of the failure', async () => {
    using files = await history();
    const { code, out } = await call(['runs', 'show', files.id.slice(0, 9), '--cwd', files.path]);
    assert.equal(code, 0);
    assert.match(out, new RegExp(`^${files.id}\n\nstatus +done\nskill +daily\n`));
    assert.match(out, /^answer +all read$/m);
    assert.match(out, /^calls +6 calls, 1 refused, 4 steps$/m);
    assert.match(out, /^ {2}daily › gather › fetch: skill\.failed: no net$/m);
    assert.match(out, /^ {2}daily › gather › nowhere: skill\.not-found: /m);
    assert.match(out, /^ {2}fetch: 4 calls, /m);
  });

  test('as JSON', async () => {
    using files = await history();
    const run = documentOf(await call(['runs', 'show', files.id, '--json', '--cwd', files.path]))['run'];
    const { id, status, text, value, counts, failures } = run as Record<string, unknown>;
    assert.deepEqual(
      { id, status, text, value },
      { id: files.id, status: 'done', text: 'all\nread', value: { pages: 3 } },
    );
    assert.equal((counts as { refusals: number }).refusals, 1);
    assert.deepEqual(
      (failures as readonly { path: readonly string[] }[]).map(({ path }) => path.join('/')),
      ['daily/gather/fetch', 'daily/gather/nowhere'],
    );
  });

  test('the question of one that waits, with the command that answers it', async () => {
    using files = tree({ '.git/HEAD': '' });
    const begun = documentOf(await call(['run', '/ask-user', 'Name?', '--json', '-q', '--cwd', files.path]));
    const id = String(begun['runId']);
    const { out } = await call(['runs', 'show', id, '--cwd', files.path]);
    assert.match(out, /\nask-user asks: Name\?\n {2}Answer it: skilled resume r_\w+ "<answer>" --cwd \S+\n$/);
  });
});

describe('what is done with runs', () => {
  test('cancel ends those that are open', async () => {
    using files = await history();
    const begun = documentOf(await call(['run', '/ask-user', 'x', '--json', '-q', '--cwd', files.path]));
    const open = String(begun['runId']);
    const ended = documentOf(await call(['runs', 'cancel', open, files.id, '--json', '--cwd', files.path]));
    assert.deepEqual(ended, { ok: true, cancelled: [open], ended: [files.id] });
    const again = await call(['runs', 'cancel', open, '--cwd', files.path]);
    assert.deepEqual([again.code, again.out, again.err], [0, '', `${open} had already ended.\n`]);
  });

  test('rm forgets them', async () => {
    using files = await history();
    const young = documentOf(await call(['runs', 'rm', '--older', '1', '--json', '--cwd', files.path]));
    assert.deepEqual(young, { ok: true, removed: [] });
    const removed = await call(['runs', 'rm', files.id.slice(0, 8), '--cwd', files.path]);
    assert.deepEqual(
      [removed.code, removed.out, removed.err],
      [0, `removed ${files.id}\n`, '1 run removed.\n'],
    );
    assert.deepEqual(runsIn(await call(['runs', '--json', '--cwd', files.path])), []);
  });

  test('rm --older 0 forgets all that ended', async () => {
    using files = await history();
    await call(['run', '/ask-user', 'x', '-q', '--cwd', files.path]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const ended = documentOf(await call(['runs', 'rm', '--older', '0', '--json', '--cwd', files.path]));
    assert.deepEqual(ended['removed'], [files.id]);
    assert.equal(runsIn(await call(['runs', '--json', '--cwd', files.path])).length, 1);
  });

  test('export gives every event, on stdout or in a file', async () => {
    using files = await history();
    const lines = linesOf(await call(['runs', 'export', files.id, '--cwd', files.path]));
    assert.deepEqual([lines[0]?.['type'], lines.at(-1)?.['type']], ['run.started', 'run.ended']);
    const dash = await call(['runs', 'export', 'last', '--output', '-', '--cwd', files.path]);
    assert.deepEqual(linesOf(dash), lines);
    const one = documentOf(await call(['runs', 'export', files.id, '--json', '--cwd', files.path]));
    assert.deepEqual(one['events'], lines);
    const written = await call(['runs', 'export', files.id, '--output', 'run.jsonl', '--cwd', files.path]);
    assert.deepEqual([written.code, written.out], [0, '']);
    assert.match(written.err, new RegExp(`^${lines.length} events written to ${files.at('run.jsonl')}\n$`));
    assert.equal(readFileSync(files.at('run.jsonl'), 'utf8').split('\n').length, lines.length + 1);
    assert.equal(statSync(files.at('run.jsonl')).mode & 0o777, 0o600);
    const nowhere = await call(['runs', 'export', files.id, '--output', 'no/such/x', '--cwd', files.path]);
    assert.equal(nowhere.code, 2);
  });

  const mistakes: readonly (readonly [args: readonly string[], hint: RegExp])[] = [
    [['shwo', 'r_1'], /Did you mean "show"/],
    [['r_123456'], /skilled runs show r_123456/],
    [['list'], /show, cancel, rm, export or adopt/],
    [['--older', '3'], /Leave it out/],
    [['show', 'r_1', '--limit', '3'], /Leave it out/],
    [['show'], /skilled runs show <run>/],
    [['show', 'r_1', 'r_2'], /skilled runs show <run>/],
    [['rm'], /skilled runs rm <run>/],
    [['rm', 'r_1', '--older', '3'], /run ids or --older/],
    [['--status', 'dead'], /running, waiting/],
    [['--limit', '0'], /--limit/],
  ];
  for (const [args, hint] of mistakes) {
    test(`runs ${args.join(' ')}`, async () => {
      using files = tree({ '.git/HEAD': '' });
      const ended = await call(['runs', ...args, '--json', '--cwd', files.path]);
      assert.deepEqual([ended.code, errorIn(ended).code], [2, 'usage.bad-input']);
      assert.match(errorIn(ended).hint ?? '', hint);
    });
  }
});
