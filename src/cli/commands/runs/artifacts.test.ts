import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome } from '../../../../test/support/command.ts';
import { tree } from '../../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../../config/preset.ts';
import type { Artifact } from '../../../core/event-types.ts';
import { defineSkill } from '../../../core/define-skill.ts';

leaveHome();

const snippet = (name: string, text: string, data: Artifact['data']): Artifact => ({
  name,
  mediaType: 'text/javascript',
  text,
  ...(data === undefined ? {} : { data }),
});

const created: readonly Artifact[] = [
  snippet('snippet.js', 'console.log("adds");\nreturn input.a + 1', { input: { a: 41 }, functions: [] }),
  { name: 'notes.txt', mediaType: 'text/plain', text: 'one\ntwo \u001b[31m' },
  snippet('calls.js', 'return call("x")', { input: 1, functions: ['call'] }),
  snippet('loops.js', 'while (true);', { input: 1, timeoutMs: 50 }),
  snippet('throws.js', 'throw new Error("no")', { input: null }),
  snippet('twice.js', 'return "first"', { input: null }),
  snippet('twice.js', 'return "second"', { input: null }),
  snippet('module.js', 'export const a = 1', undefined),
];

const files = tree({ '.git/HEAD': '' });
after(() => files[Symbol.dispose]());

/** The id of a run that created all of these artifacts. */
const id = await (async () => {
  await using agent = new RecursiveSkilledAgent({ store: files.at('.skilled/skilled.db') });
  const maker = defineSkill({
    name: 'maker',
    description: 'Makes.',
    run(_input, scope) {
      for (const artifact of created) scope.artifact(artifact);
      return { status: 'done', text: 'made' };
    },
  });
  agent.skills.register(maker);
  const run = agent.run({ skill: 'maker' });
  await run.result;
  return run.id;
})();

const artifacts = (...args: readonly string[]): ReturnType<typeof call> =>
  call(['artifacts', ...args, '--cwd', files.path]);

describe('artifacts', () => {
  test('lists what a run kept', async () => {
    const { code, out, err } = await artifacts('last');
    assert.deepEqual([code, err], [0, '']);
    const lines = out.trimEnd().split('\n');
    assert.match(lines[0] ?? '', /^# +NAME +TYPE +SIZE +SKILL +FRAME$/);
    assert.match(lines[1] ?? '', /^1 +snippet\.js +text\/javascript +39 +maker +f_[0-9a-f]{16}$/);
    assert.equal(lines.length, created.length + 1);
    const listed = documentOf(await artifacts(id, '--json'))['artifacts'] as readonly Record<
      string,
      unknown
    >[];
    assert.deepEqual(
      listed.map(({ number, name, characters }) => [number, name, characters]),
      created.map(({ name, text }, index) => [index + 1, name, text.length]),
    );
    assert.ok(listed.every((one) => !('text' in one) && !('data' in one)));
  });

  test('prints exactly the text of one, by name or number', async () => {
    assert.equal((await artifacts(id, 'notes.txt')).out, created[1]?.text);
    assert.equal((await artifacts(id, '7')).out, 'return "second"');
    const shown = await call(['artifacts', id, 'notes.txt', '--cwd', files.path], { width: 80 });
    assert.equal(shown.out, 'one\ntwo \n');
    const { artifact } = documentOf(await artifacts(id, 'snippet.js', '--json'));
    const { text, data } = artifact as { text?: unknown; data?: unknown };
    assert.deepEqual([text, data], [created[0]?.text, created[0]?.data]);
  });

  test('a name that several have is not guessed', async () => {
    const ended = await artifacts(id, 'twice.js', '--json');
    assert.deepEqual([ended.code, errorIn(ended).code], [2, 'usage.bad-input']);
    assert.match(errorIn(ended).hint ?? '', /6 \(twice\.js of maker\), 7 \(twice\.js of maker\)/);
    const unknown = await artifacts(id, 'nothing.js', '--json');
    assert.equal(errorIn(unknown).code, 'usage.not-found');
    assert.match(errorIn(unknown).hint ?? '', /1 \(snippet\.js of maker\)/);
  });

  test('runs a snippet again with the input that it had', async () => {
    const { code, out, err } = await artifacts(id, 'snippet.js', '--again');
    assert.deepEqual([code, out, err], [0, '42\n', 'adds\n']);
    const { value, log } = documentOf(await artifacts(id, '7', '--again', '--json'));
    assert.deepEqual([value, log], ['second', '']);
  });

  test('says why one has no result', async () => {
    assert.deepEqual([(await artifacts(id, 'throws.js', '--again')).code], [1]);
    const late = await artifacts(id, 'loops.js', '--again', '--json');
    assert.deepEqual([late.code, errorIn(late).code], [5, 'limit.time']);
  });

  test('runs nothing again that is not a snippet, or that would do more', async () => {
    for (const [name, why] of [
      ['notes.txt', /it is not a snippet/],
      ['module.js', /it is not a snippet/],
      ['calls.js', /it calls skills/],
    ] as const) {
      const ended = await artifacts(id, name, '--again', '--json');
      assert.deepEqual([ended.code, errorIn(ended).code], [2, 'usage.bad-input']);
      assert.match(errorIn(ended).message, why);
    }
    assert.match((await artifacts(id, '--again')).err, /snippet name[^]*<name> --again/);
  });

  test('a run that kept nothing, and none at all', async () => {
    await using agent = new RecursiveSkilledAgent({ store: files.at('.skilled/skilled.db') });
    agent.skills.register(
      defineSkill({ name: 'idle', description: 'Idles.', run: () => ({ status: 'done', text: '' }) }),
    );
    const run = agent.run({ skill: 'idle' });
    await run.result;
    const { code, out, err } = await artifacts(run.id);
    assert.deepEqual([code, out], [0, '']);
    assert.match(err, /has no artifacts/);
    assert.equal((await artifacts('r_none')).code, 2);
    assert.equal((await artifacts()).code, 2);
  });
});
