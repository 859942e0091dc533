import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, ofType, said, valueOf, type Run } from '../../../test/support/kernel.ts';
import type { Json } from '../../core/json.ts';

const leaf = { allowedSkills: [], run: (): ReturnType<Run> => done('leaf') };

/** Makes the calls in its input, and returns their outcomes. */
const tries: Run = async (input, scope) => {
  const got: string[] = [];
  for (const name of input as readonly string[]) got.push(said(await scope.call(name, null)));
  return done('', got);
};

describe('an allow list', () => {
  test('is the whole list', async () => {
    await using agent = agentWith({ top: { allowedSkills: ['one'], run: tries }, one: leaf, two: leaf });
    assert.deepEqual(valueOf(await agent.run({ skill: 'top', input: ['one', 'two', 'top'] }).result), [
      'leaf',
      'policy.denied',
      'policy.denied',
    ]);
  });

  test('that is empty allows nothing, and makes the skill a leaf', async () => {
    await using agent = agentWith({ top: { allowedSkills: [], run: tries }, one: leaf });
    const run = agent.run({ skill: 'top', input: ['one'] });
    assert.deepEqual(valueOf(await run.result), ['policy.denied']);
    const events = await agent.runs.events(run.id);
    assert.equal(ofType(events, 'frame.started')[0]?.leaf, true);
    assert.equal(ofType(events, 'call.refused')[0]?.error.code, 'policy.denied');
  });

  test('that is absent allows every other one', async () => {
    await using agent = agentWith({ top: tries, one: leaf, two: leaf });
    assert.deepEqual(valueOf(await agent.run({ skill: 'top', input: ['one', 'two'] }).result), [
      'leaf',
      'leaf',
    ]);
  });

  test('and a call may use any name of a skill, in any case', async () => {
    const names = ['one-two', 'One Two', 'explicit:one-two', 'Explicit:One-Two'];
    for (const allowed of names) {
      await using agent = agentWith({
        top: { allowedSkills: [allowed], run: tries },
        'one-two': leaf,
        three: leaf,
      });
      const got = valueOf(await agent.run({ skill: 'top', input: [...names, 'three'] }).result);
      assert.deepEqual(got, [...names.map(() => 'leaf'), 'policy.denied'], allowed);
    }
  });

  test('does not limit the callee', async () => {
    await using agent = agentWith({
      top: { allowedSkills: ['mid'], run: async (_input, scope) => scope.call('mid', ['one']) },
      mid: tries,
      one: leaf,
    });
    assert.deepEqual(valueOf(await agent.run({ skill: 'top' }).result), ['leaf']);
  });
});

describe('what a scope shows', () => {
  const shows: Run = async (_input, scope) => {
    const names = scope.skills.callable
      .map(({ name }) => name)
      .filter((name) => ['one', 'two', 'top', 'hidden', 'lacking'].includes(name));
    const { text } = await scope.skills.catalog();
    return done(text, [names, names.filter((name) => text.includes(`Does ${name}.`))]);
  };
  const others = {
    one: leaf,
    two: leaf,
    hidden: { ...leaf, disableModelInvocation: true },
    lacking: { ...leaf, requires: { bins: ['no-such-program-here'] } },
  };

  test('is every ready skill that a model may choose but itself', async () => {
    await using agent = agentWith({ top: shows, ...others });
    const run = agent.run({ skill: 'top' });
    assert.deepEqual(valueOf(await run.result), [
      ['one', 'two'],
      ['one', 'two'],
    ]);
    assert.equal(ofType(await agent.runs.events(run.id), 'step.ended').length, 1);
  });

  test('is the list if there is one', async () => {
    await using agent = agentWith({ top: { allowedSkills: ['TWO', 'nobody'], run: shows }, ...others });
    assert.deepEqual((valueOf(await agent.run({ skill: 'top' }).result) as string[][])[0], ['two']);
  });

  test('has every skill once', async () => {
    await using agent = agentWith({
      top: { allowedSkills: ['one', 'ONE', 'explicit:one'], run: shows },
      ...others,
    });
    assert.deepEqual((valueOf(await agent.run({ skill: 'top' }).result) as string[][])[0], ['one']);
  });

  test('works without its scope in front', async () => {
    await using agent = agentWith({
      top: async (_input, scope) => {
        const {
          step,
          call,
          now,
          random,
          note,
          skills: { catalog },
          resources: { open: openResource },
          memory,
          run: { depth, frameId, session },
        } = scope;
        const { get, set } = memory;
        note('x');
        set('k', 1);
        await Promise.all([now(), random(), catalog(), openResource('k', 'run', async () => 1)]);
        return done('', [
          await step('s', () => 1),
          said(await call('one', null)),
          (await get('k')) ?? null,
          depth,
          frameId !== '',
          session,
        ]);
      },
      one: leaf,
    });
    assert.deepEqual(valueOf(await agent.run({ skill: 'top' }).result), [1, 'leaf', 1, 1, true, 'default']);
  });
});

test('a note that cannot be kept as it is costs nothing but what is too much of it', async () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  await using agent = agentWith({
    top: (_input, scope) => {
      scope.note('circle', circle as Json);
      scope.note('x'.repeat(20_000));
      scope.note('large', 'x'.repeat(5_000_000));
      return done('noted');
    },
  });
  const run = agent.run({ skill: 'top' });
  assert.equal((await run.result).text, 'noted');
  const notes = ofType(await agent.runs.events(run.id), 'note.added');
  assert.deepEqual(
    notes.map(({ message, data }) => [message.slice(0, 6), data]),
    [
      ['circle', undefined],
      ['xxxxxx', undefined],
      ['large', undefined],
    ],
  );
  assert.match(notes[1]?.message ?? '', /^x{10000}\n\[10,000 more characters were cut off\]$/);
});
