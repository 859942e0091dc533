import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, ofType, settled, textOf, type Run } from '../../../test/support/kernel.ts';
import { createMemoryStore } from '../../stores/memory.ts';

const count: Run = async (_input, scope) => {
  const before = Number((await scope.memory.get('n')) ?? 0);
  await new Promise((resolve) => setImmediate(resolve));
  scope.memory.set('n', before + 1);
  return done('', before + 1);
};

describe('a value that another call changed after it was read', () => {
  test('is read again by a call without effects, so that no update is lost', async () => {
    await using agent = agentWith({ count });
    const handles = Array.from({ length: 12 }, () => agent.run({ skill: 'count', session: 's' }));
    const results = await Promise.all(handles.map(({ result }) => settled(result)));
    const values = results.map(({ value }) => Number(value)).sort((one, other) => one - other);
    assert.deepEqual(
      values,
      values.map((_, index) => index + 1),
    );
    for (const { id } of handles) {
      const events = await agent.runs.events(id);
      assert.equal(ofType(events, 'frame.started').length, 1);
      assert.equal(ofType(events, 'frame.ended').length, 1);
    }
  });

  test('is not a value that the same call sets while it reads', async () => {
    const both: Run = async (_input, { memory }) => {
      const reading = memory.get('n');
      memory.set('n', 'own');
      return done('', [(await reading) ?? null, (await memory.get('n')) ?? null]);
    };
    await using agent = agentWith({ both });
    const { value } = await settled(agent.run({ skill: 'both', session: 's' }).result);
    assert.deepEqual(value, [null, 'own']);
    assert.equal(await agent.getSessionMemory('s').get('both/n'), 'own');
  });

  test('fails a call that had effects, which are not repeated; its caller continues', async () => {
    const effects: string[] = [];
    const changed = Promise.withResolvers<undefined>();
    const slow: Run = async (_input, scope) => {
      const before = Number((await scope.memory.get('n')) ?? 0);
      await scope.step('effect', async () => {
        effects.push('effect');
        await changed.promise;
        return null;
      });
      scope.memory.set('n', before + 10);
      return done();
    };
    const caller: Run = async (_input, scope) => {
      const output = await scope.call('slow', null);
      return done(output.status === 'failed' ? output.error.code : 'no conflict');
    };
    await using agent = agentWith({ slow, caller });
    const run = agent.run({ skill: 'caller', session: 's' });
    const memory = agent.getSessionMemory('s');
    while (effects.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await memory.set('slow/n', 1);
    changed.resolve(undefined);
    assert.equal((await settled(run.result)).text, 'skill.conflict');
    assert.deepEqual([effects.length, await memory.get('slow/n')], [1, 1]);
    const [end] = ofType(await agent.runs.events(run.id), 'frame.ended');
    assert.equal(end?.memory, undefined);
  });

  test('is listed again by a call without effects, also if it was not in the list', async () => {
    const add: Run = async (_input, { memory }) => {
      const entries = await memory.entries();
      await new Promise((resolve) => setImmediate(resolve));
      memory.set('n', Number(entries.get('n') ?? 0) + 1);
      return done();
    };
    await using agent = agentWith({ add });
    const runs = Array.from({ length: 6 }, () => agent.run({ skill: 'add', session: 's' }).result);
    for (const { ok } of await settled(Promise.all(runs))) assert.equal(ok, true);
    assert.equal(await agent.getSessionMemory('s').get('add/n'), 6);
  });

  test("is not a conflict if a skill replaces the conversation's summary with its own", async () => {
    let times = 0;
    const replace: Run = async (input, { memory }) => {
      times += 1;
      const before = input === 'list' ? (await memory.entries()).get('summary') : await memory.get('summary');
      memory.set('summary', `${textOf(before ?? null)} again`);
      return done();
    };
    await using agent = agentWith({ replace });
    for (const input of ['get', 'list']) {
      await agent.getSessionMemory(input).set('summary', 'shared');
      assert.equal((await settled(agent.run({ skill: 'replace', session: input, input }).result)).ok, true);
      assert.equal(await agent.getSessionMemory(input).get('replace/summary'), 'shared again');
    }
    assert.equal(times, 2);
  });

  test('is replaced by a call that has not read it', async () => {
    await using agent = agentWith({
      put: (input, scope) => {
        scope.memory.set('n', input);
        return done();
      },
    });
    const puts = [1, 2, 3].map((input) => agent.run({ skill: 'put', session: 's', input }).result);
    for (const { ok } of await Promise.all(puts)) assert.equal(ok, true);
  });
});

test('updates of the program lose nothing, from any process', async () => {
  const store = createMemoryStore();
  await using one = agentWith({}, { store });
  await using other = agentWith({}, { store });
  const add = (agent: typeof one): Promise<unknown> =>
    agent.getSessionMemory('s').update('n', (value) => Number(value ?? 0) + 1);
  await Promise.all(Array.from({ length: 20 }, (_, index) => add(index % 2 === 0 ? one : other)));
  assert.equal(await one.getSessionMemory('s').get('n'), 20);
});

describe('turns of one session in two processes', () => {
  const ask: Run = async (_input, scope) => done(textOf(await scope.ask('Which?')));

  test('run one after the other', async () => {
    const store = createMemoryStore();
    const log: string[] = [];
    const noted: Run = async (input, scope) => {
      log.push('begin');
      const output = await count(input, scope);
      log.push('end');
      return output;
    };
    await using one = agentWith({ noted }, { store });
    await using other = agentWith({ noted }, { store });
    const runs = Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? one : other).run({ prompt: '/noted', session: 's' }),
    );
    const results = await Promise.all(runs.map(({ result }) => settled(result)));
    assert.deepEqual(results.map(({ value }) => value).sort(), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert.equal(log.join(' '), Array.from(runs, () => 'begin end').join(' '));
  });

  test('do not wait for a turn that waits for a person', async () => {
    const store = createMemoryStore();
    await using one = agentWith({ ask, count }, { store });
    await using other = agentWith({ ask, count }, { store });
    assert.equal((await settled(one.run({ prompt: '/ask', session: 's' }).result)).status, 'waiting');
    assert.equal((await settled(other.run({ prompt: '/count', session: 's' }).result)).status, 'done');
    assert.equal((await settled(other.run({ prompt: 'red', session: 's' }).result)).text, 'red');
  });

  test('stop waiting when their signal aborts', async () => {
    const store = createMemoryStore();
    const over = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    const hold: Run = async () => {
      begun.resolve(undefined);
      await over.promise;
      return done();
    };
    await using one = agentWith({ hold, count }, { store });
    await using other = agentWith({ hold, count }, { store });
    const first = one.run({ prompt: '/hold', session: 's' });
    await begun.promise;
    const controller = new AbortController();
    const second = other.run({ prompt: '/count', session: 's', signal: controller.signal });
    controller.abort();
    assert.equal((await settled(second.result)).status, 'cancelled');
    over.resolve(undefined);
    assert.equal((await settled(first.result)).status, 'done');
    assert.equal((await settled(other.run({ prompt: '/count', session: 's' }).result)).value, 1);
  });
});
