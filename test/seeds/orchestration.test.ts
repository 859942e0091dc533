import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { done, ofType } from '../support/kernel.ts';
import { call, leaf, toolTexts, userTexts } from '../support/loop-stage.ts';
import { orchestratorStage, type Sections } from '../support/orchestrator-stage.ts';

const skills = {
  orders: leaf(() => done('1. lamp, 2. bell'), { description: 'Lists open orders of customers.' }),
  rates: leaf(() => done('1.1'), { description: 'Tells exchange rates of currencies.' }),
  calendar: leaf(() => done('Monday'), { description: 'Knows which day it is.' }),
};
const loop = { Session: 'loop' };

/** Returns the commands in a planner's system prompt. */
function commandsIn(system = ''): readonly string[] {
  const [, list = ''] = /Commands:\n([^]*)$/.exec(system) ?? [];
  return [...list.matchAll(/^- ([\w-]+)/gm)].map(([, name = '']) => name);
}

describe('what an orchestrator may call', () => {
  test('is exactly what its list names, by whatever form of the name', async () => {
    const desk = { ...loop, 'Allowed Skills': '- Orders\n- RATES\n- nobody' };
    await using on = orchestratorStage({ desk }, ['ok'], { skills });
    await on.agent.executePrompt('x', { skillName: 'desk' });
    assert.deepEqual(on.offered(), [['orders', 'rates']]);
  });

  test('is every other skill without a list, and never itself', async () => {
    await using on = orchestratorStage({ desk: loop, other: loop }, ['ok', '@a final_answer ok'], { skills });
    await on.agent.executePrompt('x', { skillName: 'desk' });
    const [offered = []] = on.offered();
    for (const name of ['orders', 'rates', 'calendar', 'other']) assert.ok(offered.includes(name), name);
    assert.ok(!offered.includes('desk'));
  });

  test('is called for it under the same rules as any call: the policy is asked, and the log has it', async () => {
    const asked: string[] = [];
    const desk = { ...loop, 'Allowed Skills': '- orders\n- rates' };
    const script = [{ calls: [call('orders'), call('rates')] }, 'Done.'];
    await using on = orchestratorStage({ desk }, script, {
      skills,
      policy: {
        decide: ({ skill, caller }) => {
          asked.push(`${skill} for ${caller?.skill ?? 'a person'}`);
          return skill === 'rates' ? { decision: 'deny', reason: 'Not today.' } : { decision: 'allow' };
        },
      },
    });
    const { runId } = await on.agent.executePrompt('x', { skillName: 'desk' });
    assert.ok(asked.includes('orders for desk') && asked.includes('rates for desk'), asked.join());
    const events = await on.agent.runs.events(runId);
    const [first, second] = ofType(events, 'frame.started');
    assert.deepEqual([second?.skill, second?.parent], ['orders', first?.frameId]);
    assert.equal(ofType(events, 'call.refused')[0]?.error.code, 'policy.denied');
    const [orders = '', rates = ''] = toolTexts(on.model.requests[1]);
    assert.match(orders, /1\. lamp, 2\. bell/);
    assert.match(rates, /^Error: /);
  });

  test('does its own work: its input is judged by itself, and its answer comes back as it gave it', async () => {
    const add = leaf<{ a: number; b: number }>(({ a, b }) => done(`${a + b}`, a + b), {
      input: z.object({ a: z.number(), b: z.number() }),
    });
    const script = ['@sum add a=2 b=3\n@last final_answer $sum'];
    await using on = orchestratorStage({ desk: { 'Allowed Skills': '- add' } }, script, { skills: { add } });
    assert.equal((await on.agent.executePrompt('x', { skillName: 'desk' })).value, 5);
  });
});

describe('the session of an orchestrator', () => {
  for (const [written, isLoop] of [
    ['loop', true],
    ['Loop', true],
    ['sop', false],
    ['looping', false],
    ['loop, please', false],
    ['conversation', false],
    [undefined, false],
  ] as const) {
    test(`is ${isLoop ? 'a loop' : 'a plan'} where its file says ${written ?? 'nothing'}, whatever is asked`, async () => {
      const desk: Sections = {
        'Allowed Skills': '- orders',
        ...(written === undefined ? {} : { Session: written }),
      };
      const script = isLoop ? ['ok'] : ['@a final_answer ok'];
      await using on = orchestratorStage({ desk }, script, { skills });
      const { text } = await on.agent.executePrompt('Go through it step by step, in a loop.', {
        skillName: 'desk',
      });
      assert.equal(text, 'ok');
      assert.deepEqual(on.offered(), [isLoop ? ['orders'] : []]);
    });
  }
});

describe('the preparation of an orchestrator', () => {
  const both = { 'Allowed Skills': '- orders\n- rates', Preparation: 'Find out the day.' };
  const lists: readonly (readonly [string, Sections, readonly string[]])[] = [
    ['those of the session, where it has no list', {}, ['orders', 'rates']],
    ['none, where its list is empty', { 'Allowed-Prep-Skills': '' }, []],
    ['none, where its list is a dash', { 'Allowed-Prep-Skills': '-' }, []],
    ['exactly those of its list', { 'Allowed-Prep-Skills': '- calendar' }, ['calendar']],
  ];

  for (const [what, list, names] of lists) {
    test(`of a loop comes first and has the skills: ${what}`, async () => {
      await using on = orchestratorStage({ desk: { ...loop, ...both, ...list } }, ['It is Monday.', 'Two.'], {
        skills,
      });
      assert.equal((await on.agent.executePrompt('How many?', { skillName: 'desk' })).text, 'Two.');
      assert.deepEqual(on.offered(), [names, ['orders', 'rates']]);
      const [first, second] = on.model.requests;
      assert.match(first?.system ?? '', /Find out the day\./);
      assert.match(userTexts(second).join(), /It is Monday\.[^]*How many\?/);
    });

    test(`of a plan comes first and has the skills: ${what}`, async () => {
      const script = ['@a final_answer "It is Monday."', '@a final_answer Two.'];
      await using on = orchestratorStage({ desk: { ...both, ...list } }, script, { skills });
      assert.equal((await on.agent.executePrompt('How many?', { skillName: 'desk' })).text, 'Two.');
      const [first, second] = on.model.requests;
      assert.deepEqual(commandsIn(first?.system), names);
      assert.deepEqual(commandsIn(second?.system), ['orders', 'rates']);
      assert.match(first?.system ?? '', /Find out the day\./);
      assert.match(userTexts(second).join(), /It is Monday\.[^]*How many\?/);
    });
  }

  test('with an empty list can call nothing at all, even if the model tries', async () => {
    const desk = { ...loop, ...both, 'Allowed-Prep-Skills': '' };
    const script = [{ calls: [call('orders')] }, 'Nothing.', 'Two.'];
    await using on = orchestratorStage({ desk }, script, { skills });
    const { runId } = await on.agent.executePrompt('x', { skillName: 'desk' });
    const frames = ofType(await on.agent.runs.events(runId), 'frame.started');
    assert.deepEqual(
      frames.map(({ skill }) => skill),
      ['desk'],
    );
  });

  test('is not a stage at all where the file has no such section', async () => {
    await using on = orchestratorStage({ desk: { ...loop, 'Allowed Skills': '' } }, ['Two.'], { skills });
    await on.agent.executePrompt('x', { skillName: 'desk' });
    assert.equal(on.model.requests.length, 1);
  });
});

describe('a skill that an orchestrator lists', () => {
  const desk = { ...loop, 'Allowed Skills': '- orders\n- read' };
  const unrelated = 'Hum a melody in the key of blue.';

  test('is not offered to prompts that name none, and is still called by its name and by its owner', async () => {
    const script = ['No skill hums.', { calls: [call('orders')] }, 'Two.'];
    await using on = orchestratorStage({ desk }, script, { skills });
    const { runId } = await on.agent.executePrompt(unrelated);
    const ranked = ofType(await on.agent.runs.events(runId), 'candidates.ranked');
    const named = ranked.flatMap(({ candidates }) => candidates.map(({ skill }) => skill));
    const [offered = []] = on.offered();
    assert.ok(![...offered, ...named].includes('orders'));
    assert.ok(offered.includes('rates') && offered.includes('read'), 'others, and tools of the package, are');
    assert.equal((await on.agent.executePrompt('x', { skillName: 'orders' })).text, '1. lamp, 2. bell');
    assert.equal((await on.agent.executePrompt('x', { skillName: 'desk' })).text, 'Two.');
    assert.match(toolTexts(on.model.requests[2]).join(), /1\. lamp, 2\. bell/);
  });

  test('is not chosen for a prompt that is made for it: its owner would have to be', async () => {
    await using on = orchestratorStage({ desk }, ['No.', 'No.'], { skills });
    const { runId, skill } = await on.agent.executePrompt('List the open orders of customers.');
    assert.notEqual(skill, 'orders');
    assert.ok(
      !ofType(await on.agent.runs.events(runId), 'frame.started').some((frame) => frame.skill === 'orders'),
    );
  });

  test('is offered again where no list names it', async () => {
    await using on = orchestratorStage({ desk: loop }, ['No skill hums.'], { skills });
    await on.agent.executePrompt(unrelated);
    assert.ok(on.offered()[0]?.includes('orders'));
  });
});
