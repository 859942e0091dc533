import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  askAbout,
  done,
  ofType,
  said,
  settled,
  textOf,
  valueOf,
  type Run,
} from '../../../test/support/kernel.ts';
import type { RunEvent } from '../../core/event.ts';
import { collect, type Message, type Model, type ModelReply } from '../../core/model.ts';
import type { Scope } from '../../core/scope.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { sumUsage } from '../../views/usage.ts';

function ask(scope: Scope, ...messages: readonly Message[]): Promise<ModelReply> {
  return collect(scope.model('fast').stream({ messages }, scope.signal));
}

function user(text: string): Message {
  return { role: 'user', text };
}

describe('a model that a skill asks', () => {
  test('is paid for by its frame, and the sums roll up', async () => {
    const model = createScriptedModel(() => ({
      text: 'x',
      usage: { inputTokens: 10, outputTokens: 1, cost: 0.25 },
    }));
    const once: Run = async (_input, scope) => done((await ask(scope, user('a'))).text);
    await using agent = agentWith(
      {
        top: async (_input, scope) =>
          done(`${(await ask(scope, user('b'))).text}${said(await scope.call('once', null))}`),
        once,
      },
      { models: { fast: model } },
    );
    const run = agent.run({ skill: 'top' });
    const result = await run.result;
    assert.deepEqual(result.usage, { inputTokens: 20, outputTokens: 2, cost: 0.5 });
    const { bySkill } = sumUsage(await agent.runs.events(run.id));
    assert.deepEqual(
      bySkill.map(({ name, inputTokens, modelSteps }) => [name, inputTokens, modelSteps]),
      [
        ['top', 10, 1],
        ['once', 10, 1],
      ],
    );
  });

  test('is not asked again by a replay', async () => {
    const model = createScriptedModel(['one', 'two', 'three']);
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const before = await ask(scope, user('a'));
          const same = await ask(scope, user('a'));
          const answer = await scope.ask('x');
          const after = await ask(scope, user('b'));
          return done([before.text, same.text, textOf(answer), after.text].join(' '));
        },
      },
      { models: { fast: model } },
    );
    const { runId } = await agent.run({ skill: 'top' }).result;
    await agent.runs.answer(runId, 'A');
    const result = await settled(agent.runs.resume(runId).result);
    assert.equal(result.text, 'one two A three');
    assert.equal(model.requests.length, 3);
    const asked = ofType(await agent.runs.events(runId), 'model.ended').map(
      ({ reply }) => reply.usage.inputTokens,
    );
    assert.equal(
      result.usage.inputTokens,
      asked.reduce((sum, one) => sum + one, 0),
    );
  });

  test('reaches listeners piece by piece, while the log has the whole text', async () => {
    const model = createScriptedModel([{ text: 'abcdef', pieces: 3 }]);
    await using agent = agentWith(
      { top: async (_input, scope) => done((await ask(scope)).text) },
      { models: { fast: model } },
    );
    const run = agent.run({ skill: 'top' });
    const received: RunEvent[] = [];
    for await (const event of run.events) received.push(event);
    const deltas = ofType(received, 'model.delta');
    assert.equal(deltas.map(({ text }) => text).join(''), 'abcdef');
    assert.ok(deltas.every(({ seq, attempt }) => seq === 0 && attempt === 1));
    const stored = await agent.runs.events(run.id);
    assert.deepEqual(ofType(stored, 'model.delta'), []);
    assert.equal(ofType(stored, 'model.ended')[0]?.reply.text, 'abcdef');
    assert.deepEqual(
      received.filter(({ seq }) => seq > 0),
      stored,
    );
  });

  test('shows no secret, in pieces or whole', async () => {
    const secret = 'open-sesame-1234';
    const model = createScriptedModel([{ text: `it is ${secret}!`, pieces: 9 }]);
    await using agent = agentWith(
      { top: async (_input, scope) => done((await ask(scope)).text) },
      { models: { fast: model }, secrets: [secret] },
    );
    const run = agent.run({ skill: 'top' });
    let shown = '';
    for await (const event of run.events) if (event.type === 'model.delta') shown += event.text;
    assert.equal(shown, 'it is [redacted]!');
    assert.equal((await run.result).text, 'it is [redacted]!');
  });

  test('that is not there is an end with model.unavailable', async () => {
    await using agent = agentWith({ top: async (_input, scope) => done('', (await ask(scope)) as never) });
    const reply = valueOf(await agent.run({ skill: 'top' }).result) as unknown as ModelReply;
    assert.deepEqual([reply.reason, reply.error?.code], ['error', 'model.unavailable']);
    assert.match(reply.error?.message ?? '', /"fast"/);
  });

  test('that throws, or stops without an end, is an end all the same', async () => {
    const models: readonly Model[] = [
      {
        id: 'x/throws',
        stream: () => {
          throw new Error('no');
        },
      },
      {
        id: 'x/rejects',
        async *stream() {
          await Promise.reject(new Error('no'));
          yield { type: 'text', text: '' };
        },
      },
      {
        id: 'x/short',
        async *stream() {
          yield { type: 'text', text: 'half' };
        },
      },
    ];
    for (const fast of models) {
      await using agent = agentWith(
        { top: async (_input, scope) => done((await ask(scope)).reason) },
        { models: { fast } },
      );
      const run = agent.run({ skill: 'top' });
      assert.equal((await run.result).text, 'error', fast.id);
      assert.equal(ofType(await agent.runs.events(run.id), 'model.ended').length, 1);
    }
  });

  test('that ends without its usage is an end all the same', async () => {
    const fast = {
      id: 'x/free',
      async *stream() {
        yield { type: 'text', text: 'free' };
        yield { type: 'end', reason: 'answer' };
      },
    } as unknown as Model;
    await using agent = agentWith(
      { top: async (_input, scope) => done((await ask(scope)).text) },
      { models: { fast } },
    );
    const run = agent.run({ skill: 'top' });
    assert.equal((await run.result).text, 'free');
    assert.equal(ofType(await agent.runs.events(run.id), 'model.ended').length, 1);
  });

  test('that says more than can be kept is paid for, and not asked again', async () => {
    let times = 0;
    const usage = { inputTokens: 1_000, outputTokens: 500, cost: 1 };
    const model = createScriptedModel(() => {
      times++;
      return { text: 'x'.repeat(4_000_001), usage };
    });
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const { error, text } = await ask(scope, user('a'));
          return done(`${error?.code}${text} ${textOf(await scope.ask('x'))}`);
        },
      },
      { models: { fast: model } },
    );
    const { runId, usage: before } = await settled(agent.run({ skill: 'top' }).result);
    assert.deepEqual(before, usage);
    await agent.runs.answer(runId, 'A');
    const result = await settled(agent.runs.resume(runId).result);
    assert.equal(result.text, 'limit.too-large A');
    assert.deepEqual([times, result.usage], [1, usage]);
  });

  test('that counts its tokens wrongly, or not at all, does not switch their limit off', async () => {
    const usages: unknown[] = [
      {},
      { inputTokens: Number.NaN, outputTokens: -5_000 },
      { inputTokens: 'many', outputTokens: Number.POSITIVE_INFINITY },
      { inputTokens: 900, outputTokens: 100 },
    ];
    let times = 0;
    const fast = {
      id: 'x/miscounts',
      async *stream() {
        yield { type: 'text', text: 'x' };
        yield { type: 'end', reason: 'answer', usage: usages[times++] };
      },
    } as unknown as Model;
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const said: string[] = [];
          for (const text of 'abcdef') {
            const reply = await ask(scope, user(text));
            said.push(reply.error?.code ?? reply.text);
          }
          return done(said.join(' '));
        },
      },
      { models: { fast }, limits: { tokens: 1_000 } },
    );
    const result = await settled(agent.run({ skill: 'top' }).result);
    assert.equal(result.text, 'x x x x limit.tokens limit.tokens');
    assert.deepEqual(result.usage, { inputTokens: 900, outputTokens: 100 });
    assert.equal(times, 4);
  });

  test('is recorded in the log as the additions to the last request', async () => {
    const model = createScriptedModel(() => 'ok');
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          await ask(scope, user('a'));
          await ask(scope, user('a'), { role: 'assistant', text: 'ok' }, user('b'));
          await ask(scope, user('a'), user('c'));
          await ask(scope);
          return done();
        },
      },
      { models: { fast: model } },
    );
    const run = agent.run({ skill: 'top' });
    await run.result;
    const recorded = ofType(await agent.runs.events(run.id), 'model.started').map(({ kept, added }) => [
      kept,
      ...added.map(({ text }) => text),
    ]);
    assert.deepEqual(recorded, [[0, 'a'], [1, 'ok', 'b'], [1, 'c'], [0]]);
  });

  test('counts against the tokens of the run after a rest as before it', async () => {
    const model = createScriptedModel(() => ({ text: 'x', usage: { inputTokens: 5, outputTokens: 0 } }));
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const first = await ask(scope, user('a'));
          await scope.call('child', null);
          const second = await ask(scope, user('b'));
          const third = await ask(scope, user('c'));
          return done([first, second, third].map(({ error, text }) => error?.code ?? text).join(' '));
        },
        child: () => done(),
      },
      { models: { fast: model }, policy: askAbout('child'), limits: { tokens: 10 } },
    );
    const { runId, question } = await agent.run({ skill: 'top' }).result;
    await agent.runs.approve(runId, question?.id ?? '', { allow: 'once' });
    assert.equal((await settled(agent.runs.resume(runId).result)).text, 'x x limit.tokens');
  });
});

test('a model without a known price is reported once if the cost is limited', async () => {
  const model = createScriptedModel(['One.', 'Two.'], { id: 'some/model' });
  await using agent = agentWith(
    {
      top: async (_input, scope) => {
        for (const text of ['a', 'b']) {
          await collect(scope.model('fast').stream({ messages: [{ role: 'user', text }] }, scope.signal));
        }
        return done();
      },
    },
    { models: { fast: model }, limits: { cost: 1 } },
  );
  const { runId } = await agent.run({ skill: 'top' }).result;
  const notes = (await agent.runs.events(runId)).flatMap((event) =>
    event.type === 'note.added' ? [event.message] : [],
  );
  assert.deepEqual(notes, [
    'The price of some/model is unknown, so its usage does not count toward the cost limit.',
  ]);
});
