import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  hang,
  ofType,
  said,
  valueOf,
  type Run,
} from '../../../test/support/kernel.ts';
import type { RunLimits } from '../../core/policy/run-limits.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { collect } from '../../core/model.ts';

const leaf = { allowedSkills: [], run: () => done('leaf') };

/** Calls itself with the next number until a call is refused, and returns the depth that it reached. */
const dive: Run = async (input, scope) => {
  const below = await scope.call('dive', Number(input) + 1);
  return below.status === 'done' ? below : done(below.error.code, input);
};

/** Calls a skill this many times with different inputs, and lists the results. */
function callTimes(skill: string, times: number): Run {
  return async (_input, scope) => {
    const got: string[] = [];
    for (let index = 0; index < times; index++) got.push(said(await scope.call(skill, index)));
    return done(got.join(' '));
  };
}

describe('a bound is a refusal that the caller reads and survives', () => {
  test('limit.depth, at exactly the depth that is set', async () => {
    await using agent = agentWith({ dive }, { limits: { depth: 3 } });
    const run = agent.run({ skill: 'dive', input: 1 });
    const result = await run.result;
    assert.deepEqual([result.text, valueOf(result)], ['limit.depth', 3]);
    const events = await agent.runs.events(run.id);
    const [refused] = ofType(events, 'call.refused');
    assert.equal(refused?.error.code, 'limit.depth');
    assert.match(refused.error.hint ?? '', /"depth"/);
    assert.equal(ofType(events, 'frame.started').length, 3);
  });

  test('limit.cycle for the same skill with the same input', async () => {
    const again: Run = async (input, scope) => done(said(await scope.call('again', input)));
    await using agent = agentWith({ again });
    const run = agent.run({ skill: 'again', input: { b: 1, a: 2 } });
    assert.equal((await run.result).text, 'limit.cycle');
    assert.equal(ofType(await agent.runs.events(run.id), 'frame.started').length, 1);
  });

  test('limit.cycle for mutual recursion, whatever the order of keys; another input continues', async () => {
    await using agent = agentWith({
      one: async (_input, scope) => done(`one>${(await scope.call('two', null)).text}`),
      two: async (_input, scope) => {
        const same = await scope.call('one', { b: 2, a: 1 });
        const other = await scope.call('leaf', 1);
        return done(`${said(same)}>${other.text}`);
      },
      leaf,
    });
    const { text } = await agent.run({ skill: 'one', input: { a: 1, b: 2 } }).result;
    assert.equal(text, 'one>limit.cycle>leaf');
  });

  test('limit.frames, the first frame included', async () => {
    await using agent = agentWith(
      { top: callTimes('child', 4), child: () => done('child') },
      { limits: { frames: 3 } },
    );
    const { text } = await agent.run({ skill: 'top' }).result;
    assert.equal(text, 'child child limit.frames limit.frames');
  });

  test('limit.calls counts skills that call no others, and only those', async () => {
    await using agent = agentWith(
      { top: callTimes('leaf', 3), leaf },
      { limits: { leafCalls: 2, frames: 1 } },
    );
    const { text } = await agent.run({ skill: 'top' }).result;
    assert.equal(text, 'leaf leaf limit.calls');
  });

  test('limit.time for a call ends its frame and what is below, and the caller continues', async () => {
    const reasons: unknown[] = [];
    await using agent = agentWith({
      top: async (_input, scope) => {
        const late = await scope.call('late', null, { limits: { callSeconds: 1 } });
        return done(`${said(late)} ${said(await scope.call('leaf', null))}`);
      },
      late: async (_input, scope) => scope.call('stuck', null),
      stuck: (_input, scope) => {
        scope.signal.addEventListener('abort', () => reasons.push(scope.signal.reason));
        return hang();
      },
      leaf,
    });
    const run = agent.run({ skill: 'top' });
    assert.equal((await run.result).text, 'limit.time leaf');
    const ended = ofType(await agent.runs.events(run.id), 'frame.ended').map(({ output }) => said(output));
    assert.deepEqual(ended, ['usage.cancelled', 'limit.time', 'leaf', 'limit.time leaf']);
    assert.equal(reasons.length, 1);
  });

  test('limit.time for the run ends it, whatever hangs', async () => {
    await using agent = agentWith({ top: (_input, scope) => scope.call('stuck', null), stuck: () => hang() });
    const run = agent.run({ skill: 'top', limits: { runSeconds: 1 } });
    const result = await run.result;
    assert.deepEqual([result.status, codeOf(result)], ['failed', 'limit.time']);
    const events = await agent.runs.events(run.id);
    assert.equal(ofType(events, 'frame.ended').length, 2);
    assert.equal(events.at(-1)?.type, 'run.ended');
  });

  test('limit.tokens and limit.money refuse the next model step and the next call', async () => {
    const tighterLimits: readonly (readonly [code: string, limits: Partial<RunLimits>])[] = [
      ['limit.tokens', { tokens: 10 }],
      ['limit.money', { cost: 0.5 }],
    ];
    for (const [code, limits] of tighterLimits) {
      const model = createScriptedModel([
        { text: 'hi', usage: { inputTokens: 4, outputTokens: 6, cost: 0.5 } },
        'never',
      ]);
      await using agent = agentWith(
        {
          top: async (_input, scope) => {
            const ask = { messages: [{ role: 'user', text: 'x' } as const] };
            const first = await collect(scope.model('fast').stream(ask, scope.signal));
            const second = await collect(scope.model('fast').stream(ask, scope.signal));
            const call = await scope.call('leaf', null);
            return done([first.text, second.reason, second.error?.code, said(call)].join(' '));
          },
          leaf,
        },
        { models: { fast: model } },
      );
      const { text } = await agent.run({ skill: 'top', limits }).result;
      assert.equal(text, `hi error ${code} ${code}`);
      assert.equal(model.requests.length, 1);
    }
  });

  test('limit.steps counts the model steps of one frame', async () => {
    const model = createScriptedModel(() => 'yes');
    const thrice: Run = async (_input, scope) => {
      const replies: string[] = [];
      for (let index = 0; index < 3; index++) {
        const reply = await collect(scope.model('fast').stream({ messages: [] }, scope.signal));
        replies.push(reply.error?.code ?? reply.text);
      }
      return done(replies.join(' '));
    };
    await using agent = agentWith(
      {
        top: async (_input, scope) =>
          done(
            `${(await scope.call('thrice', 1)).text}, ${(await scope.call('thrice', 2, { limits: { steps: 1 } })).text}`,
          ),
        thrice,
      },
      { models: { fast: model }, limits: { steps: 2 } },
    );
    const { text } = await agent.run({ skill: 'top' }).result;
    assert.equal(text, 'yes yes limit.steps, yes limit.steps limit.steps');
  });
});

describe('limits', () => {
  test('of a call tighten its whole subtree and nothing beside it', async () => {
    await using agent = agentWith({
      top: async (_input, scope) => {
        const tight = await scope.call('mid', 1, { limits: { leafCalls: 1 } });
        const free = await scope.call('mid', 2);
        return done(`${tight.text} | ${free.text}`);
      },
      mid: callTimes('leaf', 2),
      leaf,
    });
    assert.equal((await agent.run({ skill: 'top' }).result).text, 'leaf limit.calls | leaf leaf');
  });

  test('of a call never widen those of its caller', async () => {
    await using agent = agentWith(
      {
        top: async (_input, scope) =>
          scope.call('mid', null, { limits: { leafCalls: 50, depth: 50, frames: 50 } }),
        mid: callTimes('leaf', 2),
        leaf,
      },
      { limits: { leafCalls: 1, depth: 3 } },
    );
    assert.equal((await agent.run({ skill: 'top' }).result).text, 'leaf limit.calls');
  });

  test('of a subtree count what the subtree used and the whole counts it too', async () => {
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const one = await scope.call('mid', 1, { limits: { leafCalls: 2 } });
          const two = await scope.call('mid', 2, { limits: { leafCalls: 2 } });
          return done(`${one.text} | ${two.text}`);
        },
        mid: callTimes('leaf', 3),
        leaf,
      },
      { limits: { leafCalls: 3 } },
    );
    const { text } = await agent.run({ skill: 'top' }).result;
    assert.equal(text, 'leaf leaf limit.calls | leaf limit.calls limit.calls');
  });

  test('of a request may be wider or tighter than those of the agent, and are kept with the run', async () => {
    await using agent = agentWith({ dive }, { limits: { depth: 2 } });
    assert.equal(valueOf(await agent.run({ skill: 'dive', input: 1, limits: { depth: 4 } }).result), 4);
    const tight = agent.run({ skill: 'dive', input: 1, limits: { depth: 1 } });
    assert.equal(valueOf(await tight.result), 1);
    assert.equal(ofType(await agent.runs.events(tight.id), 'run.started')[0]?.limits.depth, 1);
  });

  test('that are not numbers are refused before anything begins', async () => {
    await using agent = agentWith({ dive });
    for (const depth of [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY]) {
      const result = await agent.run({ skill: 'dive', input: 1, limits: { depth } }).result;
      assert.deepEqual([result.status, codeOf(result)], ['failed', 'usage.bad-input']);
    }
    assert.deepEqual(await agent.runs.list(), []);
  });

  test('are not used up by calls that never happen', async () => {
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const denied = await scope.call('bad', null);
          return done(`${said(denied)} ${said(await scope.call('good', null))}`);
        },
        bad: () => done('bad'),
        good: () => done('good'),
      },
      {
        limits: { frames: 2 },
        policy: {
          decide: ({ skill }) =>
            skill === 'bad' ? { decision: 'deny', reason: 'No.' } : { decision: 'allow' },
        },
      },
    );
    assert.equal((await agent.run({ skill: 'top' }).result).text, 'policy.denied good');
  });
});
