import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { RunEvent } from '../../src/core/event.ts';
import type { Json } from '../../src/core/json.ts';
import { runLoop } from '../../src/engines/loop/run-loop.ts';
import { BareLLMAgent } from '../../src/models/llm-agent.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import {
  agentWith,
  done,
  flowFamily,
  flowsIn,
  flowText,
  hang,
  ofType,
  settled,
  textOf,
} from '../support/kernel.ts';
import { call, leaf, stage, thinker, toolTexts, userTexts } from '../support/loop-stage.ts';
import { tree } from '../support/tree.ts';

// Defects of another agent runtime. Each test shows that this project does not have one of them.

describe('a tool that asked a person', () => {
  test('is called three times with the same reply when it returns plain text', async () => {
    let booked = 0;
    await using on = stage([{ calls: [call('book')] }, 'Booked.'], {
      book: leaf(async (_input, scope) => {
        const day = await scope.ask('Which day?');
        booked += 1;
        return done(`Noted ${textOf(day)}.`);
      }),
    });
    const { runId, status } = await on.agent.run({ skill: 'think' }).result;
    assert.equal(status, 'waiting');
    await on.agent.runs.answer(runId, 'Monday');
    assert.equal((await on.agent.runs.resume(runId).result).text, 'Booked.');
    assert.equal(booked, 1);
    assert.deepEqual(toolTexts(on.model.requests[1]), ['[$$book-1]\nNoted Monday.']);
  });
});

describe('errors of tools', () => {
  const fails = leaf(() => {
    throw new Error('The order was cancelled by the printer.');
  });

  test('never reach the model as text', async () => {
    await using on = stage([{ calls: [call('fails')] }, 'I see.'], { fails });
    await on.agent.run({ skill: 'think' }).result;
    assert.match(toolTexts(on.model.requests[1])[0] ?? '', /The order was cancelled by the printer/);
  });

  test('end the turn as an interruption when they mention "cancelled"', async () => {
    await using on = stage([{ calls: [call('fails')] }, 'I see.'], { fails });
    const { ok, text } = await on.agent.run({ skill: 'think' }).result;
    assert.deepEqual([ok, text, on.ends[0]?.reason], [true, 'I see.', 'answered']);
  });

  test('are counted over turns, until an innocent one fails', async () => {
    await using on = stage(
      (_request, turn) => (turn % 3 === 0 ? 'I see.' : { calls: [call('fails', { input: `${turn}` })] }),
      { fails },
      { maxErrors: 3 },
    );
    for (const input of ['1', '2', '3']) {
      assert.equal((await on.agent.run({ skill: 'think', input, session: 'one' }).result).text, 'I see.');
    }
  });
});

describe('a signal that is aborted already', () => {
  test('is ignored', async () => {
    await using on = stage(['Done.'], {}, { signal: AbortSignal.abort() });
    assert.equal((await on.agent.run({ skill: 'think' }).result).error?.code, 'usage.cancelled');
    const { status } = await on.agent.run({ skill: 'think', signal: AbortSignal.abort() }).result;
    assert.deepEqual([status, on.model.requests.length], ['cancelled', 0]);
  });
});

describe('an empty answer of the model', () => {
  test('rejects, and leaves the session running', async () => {
    await using on = stage(() => '');
    const { runId, status, error } = await settled(on.agent.run({ skill: 'think' }).result);
    assert.deepEqual([status, error?.code], ['failed', 'model.bad-answer']);
    assert.equal((await on.agent.runs.find(runId)).status, 'failed');
  });
});

describe('a result that looks like success or like a question', () => {
  test('ends a turn of several steps', async () => {
    for (const text of [
      'Saved: {"success": true, "message": "Done.", "operation": "save"}',
      '{"success": false, "error": "no"}',
      '{"requiresInput": true, "message": "Which?"}',
    ]) {
      await using on = stage(
        [{ calls: [call('save')] }, { calls: [call('save', { input: '2' })] }, 'Both saved.'],
        { save: leaf(() => done(text)) },
      );
      assert.equal((await on.agent.run({ skill: 'think' }).result).text, 'Both saved.');
    }
  });
});

describe('two sessions at the same time', () => {
  test('share their state, so that one loses its summary and its listeners', async () => {
    const model = createScriptedModel((request) => {
      if (request.system?.startsWith('Summarise') === true) {
        return `Gist of ${/made (\w+)/.exec(request.messages[0]?.text ?? '')?.[1] ?? ''}.`;
      }
      const who = userTexts(request)[0] ?? '';
      const isGist = userTexts(request).includes(`Summary of the conversation so far:\n\nGist of ${who}.`);
      if (isGist) return { text: `${who} is done.`, pieces: 4 };
      const count = request.messages.length;
      return { calls: [{ ...call('make', { input: `${who} ${count}` }), id: `${who}-${count}` }] };
    });
    const make = leaf((input) => done(`made ${input} ${'.'.repeat(300)}`));
    await using agent = agentWith(
      { make, think: thinker(['make'], { compactAt: 200, keepRecent: 2 }) },
      { models: { execution: model, summary: model } },
    );
    const names = ['ann', 'bob', 'cid'];
    const shown = await Promise.all(
      names.map(async (input) => {
        let text = '';
        for await (const event of agent.run({ skill: 'think', input, session: input }).events) {
          if (event.type === 'model.delta') text += event.text;
        }
        return text;
      }),
    );
    for (const [index, name] of names.entries())
      assert.match(shown[index] ?? '', new RegExp(`${name} is done\\.$`));
  });
});

describe('a session below a tool', () => {
  test('clears the results of the session above', async () => {
    let received: unknown;
    const model = createScriptedModel((request) => {
      const isInner = userTexts(request)[0] === 'inner';
      const results = toolTexts(request).length;
      const turn = (name: string, input: string): object => ({
        calls: [{ ...call(name, { input }), id: `${String(isInner)}${results}` }],
      });
      if (isInner) return results === 0 ? turn('make', 'inner') : 'Inner done.';
      if (results === 0) return turn('make', 'outer');
      if (results === 1) return turn('nested', 'inner');
      return results === 2 ? turn('take', '$$make-1') : 'Done.';
    });
    await using agent = agentWith(
      {
        make: leaf((input) => done(`made by ${input}`)),
        take: leaf((input) => {
          received = input;
          return done();
        }),
        nested: thinker(['make']),
        think: thinker(['make', 'nested', 'take']),
      },
      { models: { execution: model } },
    );
    assert.equal((await agent.run({ skill: 'think', input: 'outer' }).result).text, 'Done.');
    assert.equal(received, 'made by outer');
  });
});

describe('two skills of one name in different families', () => {
  test('collide, and only one of them can be called', async () => {
    using files = tree({ 'skills/report/FLOW.md': flowText('report', 'from the flow') });
    const model = createScriptedModel(({ tools = [] }, turn) =>
      turn === 1 ? { calls: tools.map(({ name }) => call(name)) } : 'Done.',
    );
    const think = thinker(['report', 'report-flow']);
    await using agent = agentWith(
      { report: leaf(() => done('from the function')), think },
      { ...flowsIn(files.path, flowFamily()), models: { execution: model } },
    );
    await agent.run({ skill: 'think' }).result;
    assert.deepEqual(
      model.requests[0]?.tools?.map(({ name }) => name),
      ['report-function', 'report-flow'],
    );
    assert.deepEqual(toolTexts(model.requests[1]), [
      '[$$report-function-1]\nfrom the function',
      '[$$report-flow-1]\nfrom the flow',
    ]);
  });
});

describe('a skill whose name another family has', () => {
  test('cannot be called, although the allow list names it with its family', async () => {
    using files = tree({ 'skills/report/FLOW.md': flowText('report', 'from the flow') });
    const model = createScriptedModel([{ calls: [call('report')] }, 'Done.']);
    await using agent = agentWith(
      { report: leaf(() => done('from the function')), think: thinker(['report-flow']) },
      { ...flowsIn(files.path, flowFamily()), models: { execution: model } },
    );
    await agent.run({ skill: 'think' }).result;
    assert.deepEqual(toolTexts(model.requests[1]), ['[$$report-1]\nfrom the flow']);
  });
});

describe('cancelling one session', () => {
  test('cancels all others', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const slow = leaf(async (_input, scope) => {
      await Promise.race([promise, hang(scope.signal).catch(() => undefined)]);
      return done();
    });
    await using on = stage(
      (request) => (toolTexts(request).length === 0 ? { calls: [call('slow')] } : 'Done.'),
      { slow },
    );
    const [one, other] = [on.agent.run({ skill: 'think' }), on.agent.run({ skill: 'think' })];
    for await (const event of one.events) if (event.type === 'frame.started' && event.depth === 2) break;
    await one.cancel();
    resolve(undefined);
    assert.deepEqual([(await one.result).status, (await other.result).text], ['cancelled', 'Done.']);
  });
});

describe('arguments of tools', () => {
  const order = z.strictObject({
    items: z.array(z.object({ name: z.string(), count: z.number() })),
    express: z.boolean(),
  });

  test('are always one string', async () => {
    let received: unknown;
    const input = { items: [{ name: 'chain', count: 2 }], express: true };
    const take = leaf<z.infer<typeof order>>(
      (given) => {
        received = given;
        return done();
      },
      { input: order },
    );
    await using on = stage([{ calls: [call('take', input)] }, 'Done.'], { take });
    await on.agent.run({ skill: 'think' }).result;
    assert.deepEqual(received, input);
  });

  test('are not held against a schema', async () => {
    let times = 0;
    const take = leaf<z.infer<typeof order>>(
      () => {
        times += 1;
        return done();
      },
      { input: order },
    );
    const bad: Json = { items: [{ name: 'chain', count: 'two' }], expres: true };
    await using on = stage([{ calls: [call('take', bad)] }, 'Done.'], { take });
    await on.agent.run({ skill: 'think' }).result;
    assert.equal(times, 0);
    const [reply = ''] = toolTexts(on.model.requests[1]);
    for (const fault of [/items.*count/, /express/, /expres\b/]) assert.match(reply, fault);
  });
});

describe('what was missing altogether', () => {
  test('streaming: nothing is heard until the whole answer is there', async () => {
    await using on = stage([{ text: 'One two three four five.', pieces: 5 }]);
    const received: RunEvent[] = [];
    for await (const event of on.agent.run({ skill: 'think' }).events) received.push(event);
    assert.ok(ofType(received, 'model.delta').length > 1);
  });

  test('persistence: a session is gone with its process', async () => {
    const store = createMemoryStore();
    const ask = { calls: [call('ask-user', { question: 'Which?' })] };
    const before = stage([ask], {}, { allowed: ['ask-user'], options: { store } });
    const { runId } = await before.agent.run({ skill: 'think' }).result;
    await before.agent.shutdown();
    await using after = stage(['You said so.'], {}, { allowed: ['ask-user'], options: { store } });
    await after.agent.runs.answer(runId, 'that');
    assert.equal((await after.agent.runs.resume(runId).result).text, 'You said so.');
    assert.deepEqual(toolTexts(after.model.requests[0]), ['[$$ask-user-1]\nthat']);
  });

  test('timeouts: a tool that hangs holds the session for ever', async () => {
    await using on = stage(
      [{ calls: [call('impatient')] }, 'It took too long.'],
      {
        hangs: leaf(() => new Promise(() => undefined)),
        impatient: { run: (_input, scope) => scope.call('hangs', '', { limits: { callSeconds: 0 } }) },
      },
      { allowed: ['impatient'] },
    );
    assert.equal((await settled(on.agent.run({ skill: 'think' }).result)).text, 'It took too long.');
    assert.match(toolTexts(on.model.requests[1])[0] ?? '', /limit\.time/);
  });

  test('caps: as many calls run at once as a model makes', async () => {
    let open = 0;
    let most = 0;
    const work = leaf(async () => {
      most = Math.max(most, (open += 1));
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return done();
    });
    const calls = Array.from({ length: 40 }, (_, index) => call('work', { input: `${index}` }));
    await using on = stage([{ calls }, 'Done.'], { work });
    assert.equal((await on.agent.run({ skill: 'think' }).result).text, 'Done.');
    assert.ok(most > 1 && most <= 8, `${most}`);
  });

  test('depth: a skill that calls itself goes down without end', async () => {
    let deepest = 0;
    const model = createScriptedModel((request) => {
      const [reply] = toolTexts(request);
      const level = Number(userTexts(request)[0] ?? 0);
      return reply === undefined
        ? { calls: [{ ...call('think', { input: `${level + 1}` }), id: `${level}` }] }
        : reply;
    });
    const think = thinker(['think'], {}, (_end, scope) => {
      deepest = Math.max(deepest, scope.run.depth);
    });
    await using agent = agentWith({ think }, { models: { execution: model } });
    const { text } = await settled(agent.run({ skill: 'think', input: '1' }).result);
    assert.match(text, /limit\.depth/);
    assert.equal(deepest, 8);
  });

  test('budget: nothing bounds what a session costs', async () => {
    await using on = stage(
      (_request, turn) => ({ calls: [call('work', { input: `${turn}` })], usage: { cost: 0.3 } }),
      { work: leaf(() => done()) },
      { options: { limits: { cost: 1 } } },
    );
    const { error, usage } = await on.agent.run({ skill: 'think' }).result;
    assert.deepEqual([error?.code, on.ends[0]?.reason], ['limit.money', 'budget']);
    assert.ok((usage.cost ?? 0) <= 1.3, `${usage.cost}`);
  });
});

describe("the response shape 'code'", () => {
  test('strips nothing', async () => {
    const answer = 'Here it is:\n\n```ts\nconst one = 1;\n```\n\nHave fun!';
    const agent = new BareLLMAgent({ models: createScriptedModel([answer]) });
    const code = await agent.executePrompt('Write it.', { responseShape: 'code' });
    assert.equal(code.trim(), 'const one = 1;');
  });
});

describe('several loops of one skill', () => {
  test('mix their errors, results and steps', async () => {
    const model = createScriptedModel((request) =>
      toolTexts(request).length === 0 ? { calls: [call('make')] } : 'Done.',
    );
    await using agent = agentWith(
      {
        make: leaf(() => done('made')),
        twice: {
          allowedSkills: ['make'],
          run: async (_input, scope) => {
            const first = await runLoop(scope, { prompt: 'First.', name: 'first', maxSteps: 2 });
            const second = await runLoop(scope, { prompt: 'Second.', name: 'second', maxSteps: 2 });
            return done(
              '',
              [first, second].map(({ reason, results }) => [reason, ...Object.keys(results)]),
            );
          },
        },
      },
      { models: { execution: model } },
    );
    const { value } = await agent.run({ skill: 'twice' }).result;
    assert.deepEqual(value, [
      ['answered', 'make-1'],
      ['answered', 'make-1'],
    ]);
  });
});
