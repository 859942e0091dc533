import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  hang,
  ofType,
  said,
  settled,
  textOf,
  until,
  valueOf,
  yesPolicy,
  type Run,
} from '../../../test/support/kernel.ts';
import { AgentError, isAgentError } from '../../core/error.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import type { Scope } from '../../core/scope.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { maxText } from '../log/sanitize.ts';

describe('a step', () => {
  test('gives its caller exactly what is kept', async () => {
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const value = await scope.step(
            's',
            () => ({ at: new Date(0), big: 3n, gone: undefined, key: 'open-sesame-1234' }) as unknown as Json,
          );
          return done('', [value, await scope.step('none', () => undefined as unknown as Json)]);
        },
      },
      { secrets: ['open-sesame-1234'] },
    );
    const run = agent.run({ skill: 'top' });
    const expected = { at: '1970-01-01T00:00:00.000Z', big: '3', key: '[redacted]' };
    assert.deepEqual(valueOf(await run.result), [expected, null]);
    assert.deepEqual(
      ofType(await agent.runs.events(run.id), 'step.ended').map(({ value }) => value),
      [expected, null],
    );
  });

  test('that fails is kept, and thrown as an AgentError, again and again', async () => {
    let times = 0;
    await using agent = agentWith({
      top: async (_input, scope) => {
        const caught: unknown[] = [];
        const fail = (): never => {
          times++;
          throw new AgentError('usage.not-found', 'gone', { hint: 'look', details: { n: 1 } });
        };
        for (let index = 0; index < 2; index++)
          await scope.step('s', fail).catch((thrown: unknown) => caught.push(thrown));
        return done(
          caught
            .map((one) =>
              isAgentError(one) ? `${one.code} ${one.hint} ${JSON.stringify(one.details)}` : 'other',
            )
            .join('; '),
        );
      },
    });
    assert.equal(
      (await agent.run({ skill: 'top' }).result).text,
      'usage.not-found look {"n":1}; usage.not-found look {"n":1}',
    );
    assert.equal(times, 1);
  });

  test('that throws an ordinary error is a failure of the skill', async () => {
    await using agent = agentWith({
      top: async (_input, scope) => done(await scope.step('s', () => Promise.reject(new Error('boom')))),
    });
    const result = await agent.run({ skill: 'top' }).result;
    assert.deepEqual([codeOf(result), result.text], ['skill.failed', 'boom']);
  });

  test('that throws what cannot be kept ends all the same', async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    await using agent = agentWith({
      top: async (_input, scope) => {
        const fail = (): never => {
          throw new AgentError('skill.failed', 'no', { details: circle as Json });
        };
        return done(await scope.step('s', fail).catch(() => 'caught'));
      },
    });
    const run = agent.run({ skill: 'top' });
    assert.equal((await run.result).text, 'caught');
    assert.equal(ofType(await agent.runs.events(run.id), 'step.ended').length, 1);
  });

  test('with a value that is too large or circular fails, and is kept as failed', async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    await using agent = agentWith({
      top: async (_input, scope) => {
        const codes = await Promise.all(
          [circle as Json, 'x'.repeat(4_000_001)].map((value, index) =>
            scope
              .step(`s${index}`, () => value)
              .then(
                () => '',
                (thrown: unknown) => (isAgentError(thrown) ? thrown.code : 'other'),
              ),
          ),
        );
        return done(codes.join(' '));
      },
    });
    const run = agent.run({ skill: 'top' });
    assert.equal((await run.result).text, 'skill.failed limit.too-large');
    assert.equal(ofType(await agent.runs.events(run.id), 'step.ended').length, 2);
  });

  test('under one key happens once, joined while it is under way and given again later', async () => {
    let times = 0;
    await using agent = agentWith({
      top: async (_input, scope) => {
        const effect = async (): Promise<number> => {
          await Promise.resolve();
          return ++times;
        };
        const both = await Promise.all([scope.step('s', effect, 1), scope.step('s', effect, 1)]);
        return done('', [...both, await scope.step('s', effect, 1)]);
      },
    });
    assert.deepEqual(valueOf(await agent.run({ skill: 'top' }).result), [1, 1, 1]);
  });

  test('under one key with another request ends the run', async () => {
    await using agent = agentWith({
      top: async (_input, scope) => {
        await scope.step('s', () => 1, { a: 1 });
        await scope.step('s', () => 2, { a: 2 });
        return done('not reached');
      },
    });
    const result = await settled(agent.run({ skill: 'top' }).result);
    assert.deepEqual([result.status, codeOf(result)], ['failed', 'internal.diverged']);
  });

  test('under one key with another request ends the run while it is under way too', async () => {
    await using agent = agentWith({
      top: async (_input, scope) =>
        done('', await Promise.all([scope.step('s', () => 1, 1), scope.step('s', () => 2, 2)])),
    });
    assert.equal(codeOf(await settled(agent.run({ skill: 'top' }).result)), 'internal.diverged');
  });

  test('gives a value that its caller may change', async () => {
    await using agent = agentWith({
      top: async (_input, scope) => {
        const value = await scope.step<number[]>('s', () => [1]);
        value.push(2);
        return done('', await scope.step('s', () => [1]));
      },
    });
    const run = agent.run({ skill: 'top' });
    assert.deepEqual(valueOf(await run.result), [1]);
    const received: unknown[] = [];
    for await (const event of run.events) received.push(event);
    assert.deepEqual(received, await agent.runs.events(run.id));
  });

  test('that uses its own scope is refused, and what comes after it is known again all the same', async () => {
    let paid = 0;
    await using agent = agentWith({
      top: async (_input, scope) => {
        const uses = {
          call: () => scope.call('pay', 5),
          now: () => scope.now(),
          ask: () => scope.ask('x'),
          set: async () => {
            scope.memory.set('k', 1);
          },
        };
        const codes: string[] = [];
        for (const [name, use] of Object.entries(uses)) {
          const code = (thrown: unknown): string => (isAgentError(thrown) ? thrown.code : 'other');
          codes.push(await scope.step(name, () => use().then(() => 'worked', code)));
        }
        const now = await scope.now();
        const call = await scope.call('pay', 5);
        const answer = await scope.ask('x');
        return done('', [codes.join(' '), now > 0, call.text, answer]);
      },
      pay: { allowedSkills: [], run: () => done(`paid ${++paid}`) },
    });
    const { runId } = await settled(agent.run({ skill: 'top' }).result);
    await agent.runs.answer(runId, 'A');
    assert.deepEqual(valueOf(await settled(agent.runs.resume(runId).result)), [
      Array(4).fill('usage.bad-input').join(' '),
      true,
      'paid 1',
      'A',
    ]);
    assert.equal(paid, 1);
    const ended = ofType(await agent.runs.events(runId), 'frame.ended');
    assert.ok(ended.every(({ memory }) => memory === undefined));
  });

  test('of a frame that ended never settles, and is not kept', async () => {
    let left: Scope | undefined;
    let settledLate = false;
    await using agent = agentWith({
      top: async (_input, scope) => {
        const { text } = await scope.call('child', null);
        left?.note('too late');
        void left?.step('s', () => 1).finally(() => (settledLate = true));
        await new Promise((resolve) => setTimeout(resolve, 20));
        return done(text);
      },
      child: (_input, scope) => {
        left = scope;
        return done('early');
      },
    });
    const run = agent.run({ skill: 'top' });
    assert.equal((await settled(run.result)).text, 'early');
    assert.deepEqual([left?.signal.aborted, settledLate], [true, false]);
    const types = (await agent.runs.events(run.id)).map(({ type }) => type);
    assert.ok(!types.includes('step.started') && !types.includes('note.added'));
  });

  test('begins no effect once its run is cancelled', async () => {
    const store = createMemoryStore();
    const written = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    const slow = {
      ...store,
      append: async (...given: Parameters<typeof store.append>): Promise<number> => {
        const isStep = given[2].some(({ type }) => type === 'step.started');
        const last = await store.append(...given);
        if (isStep) {
          written.resolve(undefined);
          await release.promise;
        }
        return last;
      },
    };
    let times = 0;
    const agent = agentWith(
      { top: async (_input, scope) => done('', await scope.step('s', () => ++times)) },
      { store: slow },
    );
    const run = agent.run({ skill: 'top' });
    await written.promise;
    const cancelled = run.cancel();
    await new Promise((resolve) => setImmediate(resolve));
    release.resolve(undefined);
    await settled(cancelled);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(times, 0);
    await agent.shutdown();
  });

  test('has an idempotency key that no other one has and that stays the same', async () => {
    const store = createMemoryStore();
    const keys: string[] = [];
    const skills = {
      top: {
        run: async (_input: Json, scope: Scope) => {
          keys.push(scope.run.idempotencyKey);
          await scope.step('quick', (key) => keys.push(key));
          await scope.call('child', 1);
          await scope.call('child', 1);
          await scope.step('stuck', (key) => {
            keys.push(key);
            return keys.length < 6 ? hang(scope.signal) : 1;
          });
          return done();
        },
      },
      child: (_input: Json, scope: Scope) => {
        keys.push(scope.run.idempotencyKey);
        return done();
      },
    };
    await using first = agentWith(skills, { store, policy: yesPolicy });
    await using second = agentWith(skills, { store, policy: yesPolicy });
    const run = first.run({ skill: 'top' });
    await until(() => keys.length === 5);
    const before = [...keys];
    const result = await settled(second.runs.resume(run.id, { takeOver: true }).result);
    // The second time, only the call itself and the unfinished step run.
    assert.equal(new Set(before).size, 5);
    assert.equal(keys[5], before[0]);
    assert.equal(keys[6], before[4]);
    assert.equal(result.status, 'done');
  });
});

test('an artifact is kept with the run, whole, with its digest and without secrets', async () => {
  await using agent = agentWith(
    {
      makes: (_input, scope) => {
        scope.artifact({
          name: 'a.js',
          mediaType: 'text/javascript',
          text: 'key = "hunter2222"',
          data: { n: 1 },
        });
        return done();
      },
    },
    { secrets: ['hunter2222'] },
  );
  const run = agent.run({ skill: 'makes' });
  await run.result;
  const [artifact] = ofType(await agent.runs.events(run.id), 'artifact.created');
  assert.equal(artifact?.name, 'a.js');
  assert.doesNotMatch(artifact.text, /hunter/);
  assert.match(artifact.digest, /^sha256:[0-9a-f]{64}$/);
  assert.deepEqual(artifact.data, { n: 1 });
  assert.ok(!('cut' in artifact));
});

test('one that is too long is cut and says so', async () => {
  await using agent = agentWith({
    makes: (_input, scope) => {
      scope.artifact({ name: 'a', mediaType: 'text/plain', text: 'x'.repeat(maxText + 1) });
      return done();
    },
  });
  const run = agent.run({ skill: 'makes' });
  await run.result;
  const [artifact] = ofType(await agent.runs.events(run.id), 'artifact.created');
  assert.equal(artifact?.text.length, maxText);
  assert.equal(artifact.cut, true);
});

test('a frame that runs again keeps nothing twice, and equal ones of one execution apart', async () => {
  const store = createMemoryStore();
  const makes: Run = async (_input, scope) => {
    for (let time = 0; time < 2; time++) scope.artifact({ name: 'a', mediaType: 'text/plain', text: 'same' });
    return done(textOf(await scope.ask('Go on?')));
  };
  await using agent = agentWith({ makes }, { store });
  const run = agent.run({ skill: 'makes' });
  assert.equal((await run.result).status, 'waiting');
  await agent.runs.answer(run.id, 'yes');
  assert.equal((await agent.runs.resume(run.id).result).text, 'yes');
  assert.equal(ofType(await agent.runs.events(run.id), 'artifact.created').length, 2);
});

/** Stores its input, fails if requested, and returns the previous value. */
const note: Run = async (input, scope) => {
  const { key = 'k', value, forget, fail } = isJsonObject(input) ? input : {};
  const before = await scope.memory.get(textOf(key));
  if (value !== undefined) scope.memory.set(textOf(key), value);
  if (forget === true) scope.memory.delete(textOf(key));
  const after = await scope.memory.get(textOf(key));
  if (fail === true) throw new Error('no');
  return done('', [before ?? 'none', after ?? 'none']);
};

describe('the memory of a session', () => {
  test('has what an ended call left, and a call sees its own writes at once', async () => {
    await using agent = agentWith({ note });
    assert.deepEqual(valueOf(await agent.run({ skill: 'note', input: { value: 1 } }).result), ['none', 1]);
    assert.deepEqual(valueOf(await agent.run({ skill: 'note', input: { value: { a: [2] } } }).result), [
      1,
      { a: [2] },
    ]);
    const last = agent.run({ skill: 'note', input: { forget: true } });
    assert.deepEqual(valueOf(await last.result), [{ a: [2] }, 'none']);
    const events = await agent.runs.events(last.id);
    assert.deepEqual(ofType(events, 'frame.ended')[0]?.forgot, ['k']);
    assert.equal(ofType(events, 'step.ended').length, 2);
    assert.deepEqual(valueOf(await agent.run({ skill: 'note' }).result), ['none', 'none']);
  });

  test('has nothing of a call that failed', async () => {
    await using agent = agentWith({ note });
    await agent.run({ skill: 'note', input: { value: 1 } }).result;
    const failed = agent.run({ skill: 'note', input: { value: 2, fail: true } });
    assert.equal((await failed.result).status, 'failed');
    assert.equal(ofType(await agent.runs.events(failed.id), 'frame.ended')[0]?.memory, undefined);
    assert.deepEqual(valueOf(await agent.run({ skill: 'note' }).result), [1, 1]);
  });

  test('shows the writes of a child to later calls only after it ended', async () => {
    await using agent = agentWith({
      top: async (_input, scope) => {
        const during = scope.call('slow', null);
        const meanwhile = await scope.call('read', 1);
        await scope.step('go', () => {
          go.resolve(undefined);
          return 1;
        });
        await during;
        return done(`${said(meanwhile)} ${said(await scope.call('slow', 'read'))}`);
      },
      slow: async (input, scope) => {
        if (input === 'read') return done(textOf(await scope.memory.get('k')));
        scope.memory.set('k', 'set');
        await scope.step('wait', () => go.promise.then(() => 1));
        return done();
      },
      read: async (_input, scope) => done(textOf(await scope.memory.get('k'))),
    });
    const go = Promise.withResolvers<undefined>();
    assert.equal((await agent.run({ skill: 'top' }).result).text, 'null set');
  });

  test('is apart for each skill and each session', async () => {
    await using agent = agentWith({ note, other: note });
    await agent.run({ skill: 'note', input: { value: 1 }, session: 'a' }).result;
    assert.deepEqual(valueOf(await agent.run({ skill: 'other', session: 'a' }).result), ['none', 'none']);
    assert.deepEqual(valueOf(await agent.run({ skill: 'note', session: 'b' }).result), ['none', 'none']);
    assert.deepEqual(valueOf(await agent.run({ skill: 'note' }).result), ['none', 'none']);
    assert.deepEqual(valueOf(await agent.run({ skill: 'note', session: 'a' }).result), [1, 1]);
  });

  test('takes any key and any session for what it is', async () => {
    await using agent = agentWith({ note });
    for (const odd of ['__proto__', '', 'constructor', 'a/b', '../note/k', '\u0000', '😀']) {
      for (const request of [
        { input: { key: odd, value: odd } as Json },
        { session: odd, input: { value: odd } as Json },
      ]) {
        assert.deepEqual(valueOf(await agent.run({ skill: 'note', ...request }).result), ['none', odd]);
        const again = agent.run({ skill: 'note', ...request });
        assert.deepEqual(valueOf(await again.result), [odd, odd]);
        const memory = ofType(await agent.runs.events(again.id), 'frame.ended')[0]?.memory ?? {};
        assert.deepEqual(Object.values(memory), [odd]);
      }
    }
    assert.equal(Object.hasOwn(Object.prototype, 'k'), false);
  });

  test('keeps what JSON keeps, without secrets, and nothing of a later change', async () => {
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const value = { at: new Date(0), secret: 'open-sesame-1234' };
          scope.memory.set('k', value as unknown as Json);
          value.secret = 'changed';
          return done('', (await scope.memory.get('k')) ?? null);
        },
      },
      { secrets: ['open-sesame-1234'] },
    );
    assert.deepEqual(valueOf(await agent.run({ skill: 'top' }).result), {
      at: '1970-01-01T00:00:00.000Z',
      secret: '[redacted]',
    });
  });
});
