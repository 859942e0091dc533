import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { done, ofType, until } from '../../../test/support/kernel.ts';
import { call, checkConversation, leaf, stage, toolTexts } from '../../../test/support/loop-stage.ts';
import type { Message } from '../../core/model.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { runLoop } from './run-loop.ts';
import type { LoopTool } from './tools.ts';

describe('a loop', () => {
  test('asks, calls, and answers', async () => {
    const { agent, model, ends } = stage(
      [{ text: 'Let me look.', calls: [call('look', { input: 'here' })] }, 'Found it.'],
      {
        look: leaf((input) => done(`looked ${input}`)),
      },
    );
    const { ok, text } = await agent.run({ skill: 'think', input: 'Find it.' }).result;
    assert.deepEqual([ok, text], [true, 'Found it.']);
    assert.equal(ends[0]?.reason, 'answered');
    assert.deepEqual(model.requests[0]?.messages, [{ role: 'user', text: 'Find it.' }]);
    assert.deepEqual(toolTexts(model.requests[1]), ['[$$look-1]\nlooked here']);
  });

  test('gives skills as tools with their schemas, under names that every provider takes', async () => {
    const { agent, model } = stage([{ calls: [call('gro-e'), call('skill-7zip')] }, 'Done.'], {
      look: leaf(() => done()),
      größe: leaf(() => done('XL')),
      '7zip': leaf(() => done('zipped')),
    });
    await agent.run({ skill: 'think' }).result;
    const tools = model.requests[0]?.tools ?? [];
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['look', 'gro-e', 'skill-7zip'],
    );
    for (const { input } of tools) assert.equal(input['type'], 'object');
    assert.deepEqual(toolTexts(model.requests[1]), ['[$$gro-e-1]\nXL', '[$$skill-7zip-1]\nzipped']);
  });

  test('runs the calls of one step at the same time, and reports them in their order', async () => {
    let begun = 0;
    let ended = 0;
    const slow = leaf(async (input) => {
      begun += 1;
      await until(() => begun === 2 && (input === 'second' || ended === 1));
      ended += 1;
      return done(`was ${input}`);
    });
    const { agent, model } = stage(
      [{ calls: [call('slow', { input: 'first' }), call('slow', { input: 'second' })] }, 'Done.'],
      { slow },
    );
    await agent.run({ skill: 'think' }).result;
    assert.equal(ended, 2);
    assert.deepEqual(toolTexts(model.requests[1]), ['[$$slow-1]\nwas first', '[$$slow-2]\nwas second']);
  });

  test('runs a sequential skill beside no other call of the step, and eight calls at once at most', async () => {
    const log: string[] = [];
    let open = 0;
    let most = 0;
    const work = async (name: string): Promise<Output> => {
      log.push(`+${name}`);
      most = Math.max(most, (open += 1));
      if (name.startsWith('r')) await until(() => most >= 8);
      await wait(5); // the time in which another one could begin
      open -= 1;
      log.push(`-${name}`);
      return done();
    };
    const many = Array.from({ length: 20 }, (_, index) => call('read', { input: `r${index}` }));
    const { agent } = stage(
      [{ calls: [call('read', { input: 'a' }), call('edit', { input: 'b' }), ...many] }, 'Done.'],
      {
        read: leaf((input) => work(input)),
        edit: leaf((input) => work(input), { sequential: true }),
      },
    );
    await agent.run({ skill: 'think' }).result;
    assert.deepEqual(log.slice(0, 4), ['+a', '-a', '+b', '-b']);
    assert.equal(most, 8);
  });

  test('returns a bad input, an unknown tool and a failure to the model, which continues', async () => {
    const { agent, model } = stage(
      (_request, turn) =>
        [
          { calls: [call('strict', { wrong: 1 }), call('strikt'), call('throws'), call('strict', { n: 1 })] },
          'Done.',
        ][turn - 1],
      {
        strict: leaf((input: { n: number }) => done(`got ${input.n}`), {
          input: z.strictObject({ n: z.number() }),
        }),
        throws: leaf(() => {
          throw new Error('The request was cancelled by the printer');
        }),
      },
    );
    const { ok, text, runId } = await agent.run({ skill: 'think' }).result;
    assert.deepEqual([ok, text], [true, 'Done.']);
    const refused = ofType(await agent.runs.events(runId), 'call.refused');
    assert.deepEqual(
      refused
        .map(({ skill, error, key }) => [skill, error.code, key])
        .filter(([skill]) => skill === 'strikt'),
      [['strikt', 'usage.not-found', 'c1.2']],
    );
    const [bad, unknown, thrown, good] = toolTexts(model.requests[1]);
    assert.match(bad ?? '', /^Error: .*input for "strict"[^]*usage\.bad-input/);
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
    assert.deepEqual(toolTexts(model.requests[1]), ['[$$ask-user-1]\nthe {"success": true} one']);
    assert.equal(ofType(await agent.runs.events(first.runId), 'input.requested').length, 1);
  });
});

describe('a loop with tools of its own', () => {
  test('tells the model what they throw, and not that it is a defect here', async () => {
    const { agent, model } = stage(
      [{ calls: [call('odd')] }, 'Done.'],
      {},
      {
        tools: [
          {
            name: 'odd',
            description: 'Throws.',
            input: { type: 'object' },
            call: () => Promise.reject(new TypeError('x is not a function')),
          },
        ],
      },
    );
    assert.equal((await agent.run({ skill: 'think' }).result).text, 'Done.');
    assert.deepEqual(toolTexts(model.requests[1]), ['Error: x is not a function (skill.failed)']);
  });

  test('asks for them before every step, and sends the same list for as long as they are the same', async () => {
    const tool = (name: string): LoopTool => ({
      name,
      description: 'Does it.',
      input: { type: 'object' },
      call: (_input, key) => Promise.resolve(done(key)),
    });
    const [one, two] = [tool('one'), tool('two')];
    let asked = 0;
    const { agent, model } = stage(
      (_request, turn) => (turn === 4 ? 'Done.' : { calls: [call('one', {})] }),
      {},
      { tools: () => ((asked += 1) < 3 ? [one, two] : [one]) },
    );
    await agent.run({ skill: 'think' }).result;
    const sent = model.requests.map(({ tools }) => tools);
    assert.deepEqual(
      sent.map((tools) => tools?.map(({ name }) => name).join()),
      ['one,two', 'one,two', 'one', 'one'],
    );
    assert.equal(sent[0], sent[1]);
    assert.equal(sent[2], sent[3]);
  });

  test('refuses more than providers take', async () => {
    const many = Array.from({ length: 129 }, (_, index) => [`s${index}`, leaf(() => done())] as const);
    const { agent, model } = stage(['Done.'], Object.fromEntries(many));
    assert.equal((await agent.run({ skill: 'think' }).result).error?.code, 'usage.bad-input');
    assert.equal(model.requests.length, 0);
  });
});

describe('a loop that continues from an earlier one', () => {
  const earlier: readonly Message[] = [
    { role: 'user', text: 'First.' },
    { role: 'assistant', text: 'The first answer.' },
    { role: 'user', text: 'Second.' },
  ];

  test('does not take the earlier answer for its own', async () => {
    const failing = { error: { code: 'model.failed', message: 'It broke.' } } as const;
    const { agent, ends } = stage([failing], {}, { prompt: earlier });
    const { error } = await agent.run({ skill: 'think' }).result;
    assert.equal(ends[0]?.text, '');
    assert.deepEqual(error?.details, { stopped: 'failed' });
  });

  test('knows its results, gives new ones other names, and counts steps and errors from the start', async () => {
    const { agent, model, ends } = stage(
      [{ calls: [call('look', { input: '$$look-1' })] }, 'Done.'],
      { look: leaf((input) => done(`saw ${input}`)) },
      { prompt: earlier, results: { 'look-1': { text: 'a house' } }, maxSteps: 2, maxErrors: 1 },
    );
    assert.equal((await agent.run({ skill: 'think' }).result).text, 'Done.');
    assert.deepEqual(toolTexts(model.requests[1]), ['[$$look-2]\nsaw a house']);
    assert.deepEqual(Object.keys(ends[0]?.results ?? {}), ['look-1', 'look-2']);
    checkConversation(ends[0]?.messages ?? []);
  });
});

describe('several loops in one frame', () => {
  test('keep apart by their names, also at the same time', async () => {
    const { agent } = stageOfTwo();
    const { text } = await agent.run({ skill: 'both' }).result;
    assert.equal(text, 'one saw one, two saw two');
  });
});

function stageOfTwo(): Pick<ReturnType<typeof stage>, 'agent'> {
  const { agent } = stage(
    ({ messages }) => {
      const prompt = messages[0]?.text ?? '';
      return messages.length === 1
        ? { calls: [{ ...call('look', { input: prompt }), id: prompt }] }
        : `${prompt} ${messages.at(-1)?.text.split('\n')[1] ?? ''}`;
    },
    {
      look: leaf((input) => done(`saw ${input}`)),
      both: {
        allowedSkills: ['look'],
        run: async (_input: unknown, scope: Scope) => {
          const ends = await Promise.all(
            ['one', 'two'].map((name) => runLoop(scope, { prompt: name, name })),
          );
          return done(ends.map(({ text }) => text).join(', '));
        },
      },
    },
  );
  return { agent };
}
