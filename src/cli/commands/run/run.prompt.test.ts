import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  call,
  documentOf,
  errorIn,
  leaveHome,
  linesOf,
  type Ended,
} from '../../../../test/support/command.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { createScriptedModel } from '../../../models/scripted.ts';
import { openModelServer } from '../../../testing/model-server/server.ts';

leaveHome();

/** Creates a repository with one skill about pots, and without a model. */
function garden(more: Readonly<Record<string, string>> = {}): Tree {
  return tree({
    '.git/HEAD': '',
    '.skilled/settings.json': '{"offline": true}',
    'skills/pots/SKILL.md': skillText('pots', 'Sorts the flower pots in the shed by colour.'),
    ...more,
  });
}

const prompt = 'sort the flower pots by colour';

describe('a prompt', () => {
  test('finds its skill by itself, and its answer is printed', async () => {
    using files = garden();
    await using server = await openModelServer(() => 'All sorted.');
    const model = ['--no-offline', '--base-url', `${server.url}/v1`, '--model', 'm'];
    const ended = await call(['-p', prompt, ...model, '--quiet', '--cwd', files.path]);
    assert.deepEqual([ended.code, ended.out, ended.err], [0, 'All sorted.\n', '']);
  });

  test('is shown with its skill in all lists of runs', async () => {
    using files = garden();
    const here = ['--cwd', files.path];
    const ended = await call(['run', ...prompt.split(' '), '--json', '--quiet', ...here]);
    const { skill, error, runId } = documentOf(ended);
    assert.deepEqual([ended.code, skill], [6, 'pots'], JSON.stringify(error));
    const [listed] = documentOf(await call(['runs', '--json', ...here]))['runs'] as [Record<string, unknown>];
    assert.deepEqual([listed['id'], listed['skill'], listed['title']], [runId, 'pots', prompt]);
    const shown = await call(['runs', 'show', 'last', ...here]);
    assert.match(shown.out, /^skill +pots\nprompt +sort the flower pots by colour\nsession/m);
    const why = await call(['trace', 'last', '--why', ...here]);
    assert.match(why.out, /by keywords.*: "pots" \d\.\d\d \([^)]*flower[^)]*\)\. Threshold/);
    assert.match(why.out, /"pots" was chosen by the ranking: /);
    const again = documentOf(await call(['rerun', 'last', '--json', '--quiet', ...here]));
    assert.equal(again['skill'], 'pots');
    const [latest] = documentOf(await call(['runs', '--json', ...here]))['runs'] as [Record<string, unknown>];
    assert.equal(latest['title'], prompt);
  });

  test('for which there is nothing ends with 3, and says what can be done', async () => {
    using files = garden();
    const strange = 'translate a sonnet into hungarian';
    const ended = await call(['run', strange, '--quiet', '--cwd', files.path]);
    assert.deepEqual([ended.code, ended.out], [3, '']);
    assert.match(ended.err, /^error: No skill fits this request.*\n {2}.*skilled models/);
    const why = await call(['trace', 'last', '--why', '--cwd', files.path]);
    assert.match(why.out, /No skill matches/);
  });

  test('comes from a file, and may name a skill there that is for people', async () => {
    const hidden = skillText('hidden', 'Hides.', 'user-invocable: false\n');
    const texts = { plain: prompt, slash: '/ask-user Which way?\n', hidden: ' @hidden now' };
    using files = garden({ ...texts, 'skills/hidden/SKILL.md': hidden });
    const run = (arg: string): Promise<Ended> => call(['run', arg, '--json', '--quiet', '--cwd', files.path]);
    assert.equal(documentOf(await run('@plain'))['skill'], 'pots');
    assert.equal(documentOf(await run('@slash'))['text'], 'Which way?');
    assert.match(errorIn(await run('@hidden')).hint ?? '', /--skill hidden/);
  });

  test('names a skill with an at sign; a single word is a file if there is one', async () => {
    using files = garden({ 'ask-user': prompt });
    const skillOf = async (...args: readonly string[]): Promise<unknown> =>
      documentOf(await call(['run', ...args, '--json', '--quiet', '--cwd', files.path]))['skill'];
    assert.equal(await skillOf('@ask-user'), 'pots'); // first, because the questions of the others wait for the next prompt
    assert.deepEqual(
      [await skillOf('@ask-user Which way?'), await skillOf('@ask-user', 'Which', 'way?')],
      ['ask-user', 'ask-user'],
    );
    const mistyped = errorIn(await call(['run', '@ask-usre', '--json', '--cwd', files.path]));
    assert.match(mistyped.message, /^File not found: .*ask-usre\.$/);
    assert.match(mistyped.hint ?? '', /^Did you mean the skill @ask-user\? @ means a file/);
  });
});

describe('a prompt in a session', () => {
  const mine = ['--session', 'mine'];

  test('answers the question that waits there, says so, and streams only what is new', async () => {
    using files = garden();
    const here = [...mine, '--cwd', files.path];
    const first = await call(['run', '/ask-user Which way?', '--json', '--quiet', ...here]);
    const { runId } = documentOf(first);
    const ended = await call(['run', 'to the left', '--json', '--stream', ...here]);
    assert.equal(ended.code, 0, ended.err);
    assert.equal(ended.err, `Answering a question of run ${String(runId)}: Which way?\n`);
    const events = linesOf(ended);
    assert.deepEqual([...new Set(events.map((event) => event['runId']))], [runId]);
    assert.deepEqual([events[0]?.['type'], events.at(-1)?.['type']], ['run.resumed', 'run.ended']);
  });

  test('that names a skill in a file goes past the question, and nothing else is said', async () => {
    using files = garden({ 'task.txt': '/ask-user Which side?' });
    const here = [...mine, '--cwd', files.path];
    await call(['run', '/ask-user Which way?', '--quiet', ...here]);
    const ended = await call(['run', '@task.txt', ...here]);
    assert.match(ended.err, /^ask-user asks: Which side\?$/m);
    assert.doesNotMatch(ended.err, /Answers a question/);
  });

  test('of somebody else answers nothing', async () => {
    using files = garden();
    const here = ['--json', '--quiet', '--cwd', files.path];
    const { runId } = documentOf(await call(['run', '/ask-user Which way?', ...mine, ...here]));
    for (const args of [[prompt], [prompt, '--session', 'other'], ['/pots', ...mine]])
      assert.equal(documentOf(await call(['run', ...args, ...here]))['skill'], 'pots', args.join(' '));
    const waiting = documentOf(await call(['runs', '--status', 'waiting', ...here]))['runs'];
    assert.deepEqual(
      (waiting as { id: string }[]).map(({ id }) => id),
      [runId],
    );
  });

  test('/cancel drops the question and its run', async () => {
    using files = garden();
    const here = ['--cwd', files.path];
    const nothing = await call(['run', '/cancel', ...mine, ...here]);
    assert.deepEqual([nothing.code, nothing.out], [0, '']);
    assert.match(nothing.err, /^No question is open in the session mine\.$/m);
    assert.equal(existsSync(files.at('.skilled/skilled.db')), false);
    const first = await call(['run', '/ask-user Which way?', '--json', '--quiet', ...mine, ...here]);
    const { runId } = documentOf(first);
    const dropped = await call(['-p', '/cancel', ...mine, ...here]);
    assert.deepEqual([dropped.code, dropped.out], [0, `cancelled ${String(runId)}\n`]);
    assert.equal(documentOf(await call(['runs', 'show', 'last', '--json', ...here]))['ok'], true);
    const again = await call(['run', '/cancel', '--json', ...mine, ...here]);
    assert.deepEqual(documentOf(again), { ok: true, cancelled: [] });
  });
});

test('a run that continues with a model waits if there is none, and keeps the answer', async () => {
  using files = garden();
  const store = files.at('.skilled/skilled.db');
  const models = createScriptedModel([
    { calls: [{ name: 'ask-user', input: { question: 'Which pots?' } }] },
    { text: 'The red ones are sorted.' },
  ]);
  await using agent = new RecursiveSkilledAgent({ startDir: files.path, store, models });
  const first = await agent.run({ skill: 'pots', input: 'go', session: 'mine' }).result;
  assert.equal(first.status, 'waiting', JSON.stringify(first.error));
  const here = ['--json', '--quiet', '--cwd', files.path];
  const resumed = await call(['resume', first.runId, ...here]);
  assert.deepEqual([resumed.code, documentOf(resumed)['text']], [4, 'Which pots?']);
  const refused = await call(['run', 'red', '--session', 'mine', ...here]);
  assert.deepEqual([refused.code, errorIn(refused).code], [6, 'model.unavailable']);
  assert.match(errorIn(refused).hint ?? '', new RegExp(`skilled resume ${first.runId}`));
  const answered = await call(['resume', first.runId, 'red', ...here]);
  assert.match(errorIn(answered).hint ?? '', /^Your answer was saved\. /);
  assert.equal((await agent.runs.find(first.runId)).status, 'waiting');
  assert.equal(await agent.runs.waitingIn('mine'), undefined, 'it has an answer');
  assert.equal((await agent.runs.resume(first.runId).result).text, 'The red ones are sorted.');
});
