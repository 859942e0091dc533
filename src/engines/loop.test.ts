import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { agentWith, done, type Made } from '../../test/support/kernel.ts';
import type { AgentOptions } from '../agent/options.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { Json } from '../core/json.ts';
import type { Message, ModelRequest } from '../core/model.ts';
import type { Output } from '../core/output.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../models/scripted.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { loopOutput, type LoopEnd } from './loop/end.ts';
import { runLoop, type LoopRequest } from './loop.ts';

interface Stage {
  readonly agent: RecursiveSkilledAgent;
  readonly model: ScriptedModel;
  /** How the loops ended, in order. */
  readonly ends: LoopEnd[];
}

/** An agent whose skill `think` runs a loop that may call the others. */
function stage(
  script: Script,
  skills: Readonly<Record<string, Made>> = {},
  more: Partial<LoopRequest> & { readonly options?: AgentOptions; readonly allowed?: readonly string[] } = {},
): Stage {
  const { options = {}, allowed = Object.keys(skills), ...request } = more;
  const model = createScriptedModel(script);
  const ends: LoopEnd[] = [];
  const think: Made = {
    allowedSkills: allowed,
    run: async (input: Json, scope): Promise<Output> => {
      const end = await runLoop(scope, { prompt: typeof input === 'string' ? input : 'Go.', ...request });
      ends.push(end);
      return loopOutput(end);
    },
  } as never;
  const agent = agentWith({ ...skills, think }, { models: { execution: model, summary: model }, ...options });
  return { agent, model, ends };
}

/** A skill that a model calls: its function gets the input. */
function leaf(
  run: (input: never) => Output | Promise<Output>,
  more: Partial<Record<string, unknown>> = {},
): Made {
  return { allowedSkills: [], run, ...more } as never;
}

const call = (name: string, input: Json = { input: '' }): { name: string; input: Json } => ({ name, input });

function toolTexts({ messages }: ModelRequest): readonly string[] {
  return messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
}

describe('a loop', () => {
  test('asks, calls, and answers', async () => {
    const { agent, model, ends } = stage(
      [{ text: 'Let me look.', calls: [call('look', { input: 'here' })] }, 'Found it.'],
      {
        look: leaf((input: string) => done(`looked ${input}`)),
      },
    );
    const { ok, text } = await agent.run({ skill: 'think', input: 'Find it.' }).result;
    assert.deepEqual([ok, text], [true, 'Found it.']);
    assert.equal(ends[0]?.reason, 'answered');
    assert.deepEqual(model.requests[0]?.messages, [{ role: 'user', text: 'Find it.' }]);
    assert.deepEqual(toolTexts(model.requests[1] as ModelRequest), ['[$$look-1]\nlooked here']);
  });

  test('gives skills as tools with their schemas, under names that every provider takes', async () => {
    const { agent, model } = stage(['Done.'], { look: leaf(() => done()), größe: leaf(() => done()) });
    await agent.run({ skill: 'think' }).result;
    const tools = model.requests[0]?.tools ?? [];
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['look', 'gro-e'].map((name, index) => (index === 0 ? name : tools[1]?.name)),
    );
    for (const { name, input } of tools) {
      assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
      assert.equal(input['type'], 'object');
    }
  });

  test('runs the calls of one step at the same time, and tells of them in their order', async () => {
    let open = 0;
    let most = 0;
    const slow = leaf(async (input: string) => {
      most = Math.max(most, (open += 1));
      await wait(input === 'first' ? 30 : 5);
      open -= 1;
      return done(`was ${input}`);
    });
    const { agent, model } = stage(
      [{ calls: [call('slow', { input: 'first' }), call('slow', { input: 'second' })] }, 'Done.'],
      { slow },
    );
    await agent.run({ skill: 'think' }).result;
    assert.equal(most, 2);
    assert.deepEqual(toolTexts(model.requests[1] as ModelRequest), [
      '[$$slow-1]\nwas first',
      '[$$slow-2]\nwas second',
    ]);
  });

  test('runs a sequential skill beside no other call of the step, and eight calls at once at most', async () => {
    const log: string[] = [];
    let open = 0;
    let most = 0;
    const work = async (name: string): Promise<Output> => {
      log.push(`+${name}`);
      most = Math.max(most, (open += 1));
      await wait(5);
      open -= 1;
      log.push(`-${name}`);
      return done();
    };
    const many = Array.from({ length: 20 }, (_, index) => call('read', { input: `r${index}` }));
    const { agent } = stage(
      [{ calls: [call('read', { input: 'a' }), call('edit', { input: 'b' }), ...many] }, 'Done.'],
      {
        read: leaf((input: string) => work(input)),
        edit: leaf((input: string) => work(input), { sequential: true }),
      },
    );
    await agent.run({ skill: 'think' }).result;
    assert.deepEqual(log.slice(0, 4), ['+a', '-a', '+b', '-b']);
    assert.equal(most, 8);
  });

  test('returns a bad input, an unknown tool and a failure to the model, which goes on', async () => {
    const { agent, model } = stage(
      (_request, turn) =>
        [
          { calls: [call('strict', { wrong: 1 }), call('strikt'), call('throws'), call('strict', { n: 1 })] },
          'Done.',
        ][turn - 1],
      {
        strict: leaf((input: { n: number }) => done(`got ${input.n}`), {
          input: () => numberSchema(),
        }),
        throws: leaf(() => {
          throw new Error('The request was cancelled by the printer');
        }),
      },
    );
    const { ok, text } = await agent.run({ skill: 'think' }).result;
    assert.deepEqual([ok, text], [true, 'Done.']);
    const [bad, unknown, thrown, good] = toolTexts(model.requests[1] as ModelRequest);
    assert.match(bad ?? '', /^Error: .*input of "strict"[^]*usage\.bad-input/);
    assert.match(unknown ?? '', /^Error: There is no tool "strikt"[^]*"strict"/);
    assert.match(thrown ?? '', /^Error: The request was cancelled by the printer \(skill\.failed\)/);
    assert.equal(good, '[$$strict-1]\ngot 1');
  });

  test('does not end because a result looks like an answer', async () => {
    const { agent, model } = stage(
      [{ calls: [call('save')] }, { calls: [call('save', { input: '2' })] }, 'Both saved.'],
      {
        save: leaf(() => done('{"success": true, "message": "Saved.", "requiresInput": true}')),
      },
    );
    const { text } = await agent.run({ skill: 'think' }).result;
    assert.equal(text, 'Both saved.');
    assert.equal(model.requests.length, 3);
  });
});

function numberSchema(): unknown {
  return zodNumber;
}
const { z } = await import('zod');
const zodNumber = z.strictObject({ n: z.number() });

describe('a loop stops honestly', () => {
  test('when the same call came to the same three times', async () => {
    const { agent, ends } = stage(() => ({ calls: [call('look')] }), { look: leaf(() => done('nothing')) });
    const { error } = await agent.run({ skill: 'think' }).result;
    assert.equal(error?.code, 'limit.loop');
    assert.deepEqual([ends[0]?.reason, ends[0]?.steps], ['loop', 3]);
  });

  test('but not when something new came in between', async () => {
    let edits = 0;
    const { agent } = stage(
      (_request, turn) =>
        turn > 8
          ? 'Done.'
          : { calls: [turn % 2 === 1 ? call('check') : call('edit', { input: `${(edits += 1)}` })] },
      { check: leaf(() => done('still red')), edit: leaf((input: string) => done(`edited ${input}`)) },
    );
    assert.equal((await agent.run({ skill: 'think' }).result).text, 'Done.');
  });

  test('when it goes round through two calls', async () => {
    const { agent, ends } = stage((_request, turn) => ({ calls: [call(turn % 2 === 1 ? 'one' : 'two')] }), {
      one: leaf(() => done('1')),
      two: leaf(() => done('2')),
    });
    await agent.run({ skill: 'think' }).result;
    assert.equal(ends[0]?.reason, 'loop');
  });

  test('when the steps are used up, without making calls whose results nobody would read', async () => {
    let made = 0;
    const { agent, ends } = stage(
      (_request, turn) => ({ text: `Try ${turn}.`, calls: [call('look', { input: `${turn}` })] }),
      { look: leaf(() => done(`${(made += 1)}`)) },
      { maxSteps: 3 },
    );
    const { error } = await agent.run({ skill: 'think' }).result;
    assert.equal(error?.code, 'limit.steps');
    assert.deepEqual(error.details, { stopped: 'step-limit', said: 'Try 3.' });
    assert.equal(made, 2);
    assert.match(ends[0]?.messages.at(-1)?.text ?? '', /^Not called/);
  });

  test('when the frame has no step left', async () => {
    const { agent, ends } = stage(
      (_request, turn) => ({ calls: [call('look', { input: `${turn}` })] }),
      { look: leaf(() => done('.')) },
      {
        options: { limits: { steps: 2 } },
      },
    );
    assert.equal((await agent.run({ skill: 'think' }).result).error?.code, 'limit.steps');
    assert.equal(ends[0]?.reason, 'step-limit');
  });

  test('when every call fails in step after step, and counts anew after one that does not', async () => {
    const { agent, ends } = stage(
      (_request, turn) => ({ calls: [call(turn === 4 ? 'works' : 'fails', { input: `${turn}` })] }),
      {
        fails: leaf(() => ({
          status: 'failed',
          text: 'No.',
          error: { code: 'skill.failed', message: 'No.' },
        })),
        works: leaf(() => done()),
      },
      { maxErrors: 5 },
    );
    assert.equal((await agent.run({ skill: 'think' }).result).error?.code, 'limit.errors');
    assert.deepEqual([ends[0]?.reason, ends[0]?.steps], ['error-limit', 9]);
  });

  test('when money or tokens are spent', async () => {
    for (const [limits, code] of [
      [{ money: 0.1 }, 'limit.money'],
      [{ tokens: 50 }, 'limit.tokens'],
    ] as const) {
      const { agent, ends } = stage(
        (_request, turn) => ({
          calls: [call('look', { input: `${turn}` })],
          usage: { inputTokens: 30, outputTokens: 10, cost: 0.06 },
        }),
        { look: leaf(() => done()) },
        { options: { limits } },
      );
      assert.equal((await agent.run({ skill: 'think' }).result).error?.code, code);
      assert.deepEqual([ends[0]?.reason, ends[0]?.steps], ['budget', 3]);
    }
  });

  test('when the model fails, refuses, or is cut off, and tells what it had said', async () => {
    const turns = [
      [{ text: 'So far', reason: 'length' }, 'model.length'],
      [{ text: 'So far', reason: 'refused' }, 'model.refused'],
      [{ text: 'So far', error: { code: 'model.failed', message: 'It broke.' } }, 'model.failed'],
    ] as const;
    for (const [turn, code] of turns) {
      const { agent, ends } = stage([turn]);
      const { error } = await agent.run({ skill: 'think' }).result;
      assert.equal(error?.code, code);
      assert.equal(ends[0]?.text, 'So far');
    }
  });

  test('after a second empty answer, and not after the first', async () => {
    const once = stage(['', 'Now.']);
    assert.equal((await once.agent.run({ skill: 'think' }).result).text, 'Now.');
    const twice = stage(['', ' ']);
    assert.equal((await twice.agent.run({ skill: 'think' }).result).error?.code, 'model.bad-answer');
  });

  test('when it is called off before it begins: nothing is asked', async () => {
    const { agent, model, ends } = stage(['Done.'], {}, { signal: AbortSignal.abort() });
    const { error } = await agent.run({ skill: 'think' }).result;
    assert.equal(error?.code, 'usage.cancelled');
    assert.deepEqual([ends[0]?.reason, model.requests.length], ['interrupted', 0]);
  });

  test('when it is called off while the model speaks', async () => {
    const controller = new AbortController();
    const { agent, ends } = stage([{ text: 'So far', hang: true }], {}, { signal: controller.signal });
    const handle = agent.run({ skill: 'think' });
    for await (const event of handle.events) {
      if (event.type === 'model.started') controller.abort();
    }
    assert.equal((await handle.result).error?.code, 'usage.cancelled');
    assert.equal(ends[0]?.reason, 'interrupted');
  });
});

describe('a question in a loop', () => {
  test('is asked once, answered once, and the tool that asked is called once', async () => {
    const store = createMemoryStore();
    const { agent, model } = stage(
      [{ calls: [call('ask-user', { question: 'Which one?' })] }, 'You chose.'],
      {},
      {
        options: { store },
        allowed: ['ask-user'],
      },
    );
    const first = await agent.run({ skill: 'think' }).result;
    assert.equal(first.status, 'waiting');
    assert.equal(first.question?.text, 'Which one?');
    await agent.runs.answer(first.runId, 'the {"success": true} one');
    const { text } = await agent.runs.resume(first.runId).result;
    assert.equal(text, 'You chose.');
    assert.equal(model.requests.length, 2);
    assert.deepEqual(toolTexts(model.requests[1] as ModelRequest), [
      '[$$ask-user-1]\nthe {"success": true} one',
    ]);
    const asked = (await agent.runs.events(first.runId)).filter(({ type }) => type === 'input.requested');
    assert.equal(asked.length, 1);
  });
});

describe('steering', () => {
  test('joins at the next model step of the outermost loop, and is part of the conversation from there on', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const { agent, model } = stage(
      [{ calls: [call('slow')] }, { calls: [call('slow', { input: '2' })] }, 'Done.'],
      {
        slow: leaf(async (input: string) => {
          if (input === '') await promise;
          return done();
        }),
      },
    );
    const handle = agent.run({ skill: 'think', input: 'Go.' });
    for await (const event of handle.events) {
      if (event.type !== 'frame.started' || event.skill !== 'slow' || event.input !== '') continue;
      await handle.steer('Be quick.');
      await agent.runs.steer(handle.id, 'And polite.');
      resolve(undefined);
    }
    assert.equal((await handle.result).text, 'Done.');
    const said = (index: number): readonly string[] =>
      (model.requests[index]?.messages ?? []).filter(({ role }) => role === 'user').map(({ text }) => text);
    assert.deepEqual(said(0), ['Go.']);
    assert.deepEqual(said(1), ['Go.', 'Be quick.', 'And polite.']);
    assert.deepEqual(said(2), ['Go.', 'Be quick.', 'And polite.']);
    const last = model.requests[2]?.messages.slice(2, 5).map((message: Message) => message.role);
    assert.deepEqual(last, ['tool', 'user', 'user']);
    await assert.rejects(handle.steer('Too late.'), { code: 'usage.bad-input' });
  });
});

describe('references', () => {
  test('give a tool a whole result that the model saw only a part of', async () => {
    const long = 'x'.repeat(100_000);
    let received: unknown;
    const { agent, model } = stage(
      [{ calls: [call('make')] }, { calls: [call('take', { input: '$$make-1' })] }, 'Done.'],
      {
        make: leaf(() => done(long)),
        take: leaf((input: string) => {
          received = input;
          return done();
        }),
      },
    );
    await agent.run({ skill: 'think' }).result;
    assert.equal(received, long);
    const shown = toolTexts(model.requests[1] as ModelRequest)[0] ?? '';
    assert.ok(shown.length < 31_000, `${shown.length}`);
    assert.match(shown, /70,000 characters are left out here; all of it is \$\$make-1/);
  });

  test('stay usable after the conversation was summarised', async () => {
    let received: unknown;
    const { agent, model } = stage(
      (request, turn) => {
        if (request.system?.startsWith('Summarise') === true) return 'They made something, $$make-1.';
        if (turn <= 6) return { calls: [call('make', { input: `${turn}` })] };
        const isTaken = toolTexts(request).at(-1)?.startsWith('[$$take-1]') === true;
        return isTaken ? 'Done.' : { calls: [call('take', { input: '$$make-1' })] };
      },
      {
        make: leaf((input: string) => done(`made ${input} ${'y'.repeat(400)}`)),
        take: leaf((input: string) => {
          received = input;
          return done();
        }),
      },
      { compactAt: 300, keepRecent: 2 },
    );
    const { text } = await agent.run({ skill: 'think', input: 'The task.' }).result;
    assert.equal(text, 'Done.');
    assert.match(String(received), /^made 1 y/);
    const last = model.requests.at(-1)?.messages ?? [];
    assert.equal(last[0]?.text, 'The task.');
    assert.match(last[1]?.text ?? '', /^Summary of the conversation so far:\n\nThey made/);
  });
});
