import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentOptions } from '../../src/agent/options.ts';
import { createScriptedModel, type Script } from '../../src/models/scripted.ts';
import { codeOf, done, ofType, textOf } from '../support/kernel.ts';
import { call, leaf, userTexts } from '../support/loop-stage.ts';
import { orchestratorStage, oskillText } from '../support/orchestrator-stage.ts';
import { stageIn, type SubagentStage } from '../support/subagent-stage.ts';
import { tree, type Tree } from '../support/tree.ts';

const loop = { Session: 'loop' };

describe('an orchestrator that another one calls', () => {
  for (const session of ['loop', 'sop']) {
    test(`understands a follow-up by what was said, answered, called and found before (${session})`, async () => {
      const orchestrators = {
        front: { ...loop, 'Allowed Skills': '- orders\n- shop' },
        shop: { Session: session, 'Allowed Skills': '' },
      };
      const script = [
        { text: 'I look them up.', calls: [call('orders')] },
        'A lamp and a bell are open.',
        { text: 'I ask the shop.', calls: [call('orders', { input: 'again' })] },
        { calls: [call('shop', { input: 'And the second one?' })] },
        session === 'loop' ? 'The bell costs 5.' : '@a final_answer "The bell costs 5."',
        'It costs 5.',
      ];
      const orders = leaf((input: string) => done(input === 'again' ? '2. bell' : '1. lamp, 2. bell'));
      await using on = orchestratorStage(orchestrators, script, { skills: { orders } });
      const turn = { skillName: 'front', context: { sessionId: 'ann' } };
      await on.agent.executePrompt('Which orders are open?', turn);
      assert.equal((await on.agent.executePrompt('And the second one?', turn)).text, 'It costs 5.');
      const [asked = ''] = userTexts(on.model.requests[4]);
      const parts = [
        '{"from":"user","text":"Which orders are open?"}',
        '{"from":"assistant","text":"I look them up.","calls":[{"name":"orders"',
        '{"resultOf":"orders","text":"[$$orders-1]\\n1. lamp, 2. bell"}',
        '{"from":"assistant","text":"A lamp and a bell are open."}',
        '{"from":"user","text":"And the second one?"}',
        '{"from":"assistant","text":"I ask the shop.","calls":[{"name":"orders"',
        '{"resultOf":"orders","text":"[$$orders-1]\\n2. bell"}',
        '</conversation>\n\nThe request:\n\nAnd the second one?',
      ];
      const positions = parts.map((part) => asked.indexOf(part));
      assert.ok(
        positions.every((position, index) => position > (positions[index - 1] ?? -1)),
        `${positions.join()}\n${asked}`,
      );
    });
  }

  test('knows what earlier turns called without a loop: the steps of a plan, and a skill that answered itself', async () => {
    const orchestrators = {
      plan: { 'Allowed Skills': '- orders' },
      shop: { ...loop, 'Allowed Skills': '' },
    };
    const script = ['@all orders open\n@last final_answer "Two."', 'The bell costs 5.'];
    const orders = leaf(() => done('', ['lamp', 'bell']));
    await using on = orchestratorStage(orchestrators, script, { skills: { orders } });
    const context = { sessionId: 'ann' };
    await on.agent.executePrompt('How many?', { skillName: 'plan', context });
    await on.agent.executePrompt('/orders all', { context });
    await on.agent.executePrompt('And the second one?', { skillName: 'shop', context });
    const [asked = ''] = userTexts(on.model.requests[1]);
    const lines = [
      '{"from":"user","text":"How many?"}',
      '{"from":"assistant","text":"","calls":[{"name":"orders","input":"\\"open\\""}]}',
      '{"resultOf":"orders","text":"[\\"lamp\\",\\"bell\\"]"}',
      '{"from":"assistant","text":"Two."}',
      '{"from":"user","text":"/orders all"}',
    ];
    assert.ok(asked.includes(lines.join('\n')), asked);
  });

  test('gets the whole conversation within a budget: the beginning, and as much of the end as fits', async () => {
    const orchestrators = {
      front: { ...loop, 'Allowed Skills': '- orders' },
      shop: { ...loop, 'Allowed Skills': '' },
    };
    const turns = Array.from({ length: 12 }, (_, turn) => turn);
    const script = [...turns.flatMap((turn) => [{ calls: [call('orders')] }, `answer-${turn}`]), 'Done.'];
    const orders = leaf(() => done('a bell '.repeat(2_000)));
    await using on = orchestratorStage(orchestrators, script, { skills: { orders } });
    const context = { sessionId: 'ann' };
    for (const turn of turns)
      await on.agent.executePrompt(`question-${turn}`, { skillName: 'front', context });
    await on.agent.executePrompt('Last?', { skillName: 'shop', context });
    const [asked = ''] = userTexts(on.model.requests.at(-1));
    assert.ok(asked.length < 30_000, `${asked.length}`);
    for (const part of ['question-11', 'answer-11', 'a bell', '"calls":[{"name":"orders"'])
      assert.ok(asked.includes(part), part);
    assert.ok(!asked.includes('question-1"'));
  });

  test('knows what was found last, also after a long request', async () => {
    const orchestrators = {
      front: { ...loop, 'Allowed Skills': '- orders\n- shop' },
      shop: { ...loop, 'Allowed Skills': '' },
    };
    const script = [
      { calls: [call('orders')] },
      { calls: [call('shop', { input: 'And the second one?' })] },
      'The bell costs 5.',
      'It costs 5.',
    ];
    await using on = orchestratorStage(orchestrators, script, {
      skills: { orders: leaf(() => done('1. lamp, 2. bell')) },
    });
    await on.agent.executePrompt(`${'word '.repeat(1_700)}Which orders are open?`, { skillName: 'front' });
    const [asked = ''] = userTexts(on.model.requests[2]);
    assert.match(asked, /Which orders are open\?/);
    assert.match(asked, /1\. lamp, 2\. bell/);
  });
});

describe('an orchestrator with a loop', () => {
  test('tells the model what it is for and how to work, and has a fixed number of steps for each turn', async () => {
    const desk = {
      ...loop,
      Description: 'Keeps the desk in order.',
      Instructions: 'Orders first.',
      'Allowed Skills': '- orders',
    };
    const orders = leaf((input: string) => done(`Order ${input}`));
    const script = (_request: unknown, turn: number) => ({ calls: [call('orders', { input: `${turn}` })] });
    await using on = orchestratorStage({ desk }, script, { skills: { orders } });
    for (const total of [20, 40]) {
      const result = await on.agent.executePrompt('x', { skillName: 'desk', context: { sessionId: 'ann' } });
      assert.equal(codeOf(result), 'limit.steps');
      assert.equal(on.model.requests.length, total);
    }
    assert.match(on.model.requests[0]?.system ?? '', /Keeps the desk in order\.\n\nOrders first\./);
  });
});

describe('an orchestrator with a plan', () => {
  test('returns its outcome and those of its steps', async () => {
    const desk = { Instructions: 'Orders first.', 'Allowed Skills': '- orders\n- count' };
    const skills = {
      orders: leaf(() => done('', ['lamp', 'bell'])),
      count: leaf(() => done('', 2)),
    };
    const plan = '@all orders now\n@number count $all\n@said final_answer $number';
    await using on = orchestratorStage({ desk }, [plan], { skills });
    const { value, variables } = await on.agent.executePrompt('How many?', { skillName: 'desk' });
    assert.equal(value, 2);
    assert.deepEqual(variables?.['all'], { status: 'success', value: ['lamp', 'bell'] });
    assert.deepEqual(variables['number'], { status: 'success', value: 2 });
    const { system = '' } = on.model.requests[0] ?? {};
    assert.match(system, /Orders first\.[^]*Commands:\n- orders [^\n]*\n- count /);
  });
});

const desk = oskillText('desk', { ...loop, 'Allowed Skills': '- book' });
const asks = [{ calls: [call('book')] }];

/** Creates an agent with a desk that asks its user for a day and books it, and records the bookings. */
function deskIn(folder: Tree, script: Script, booked: string[], options: AgentOptions = {}): SubagentStage {
  const book = leaf(async (_input, scope) => {
    const day = textOf(await scope.ask('Which day?'));
    booked.push(`${scope.run.session} ${day}`);
    return done(`Booked for ${day}.`);
  });
  return stageIn(folder, script, { ...options, skills: { book } });
}

async function isWaiting({ agent }: SubagentStage, id: string): Promise<boolean | undefined> {
  const { sessions } = await agent.getSessionStats();
  return sessions.find(({ sessionId }) => sessionId === id)?.isWaiting;
}

describe('an orchestrator that waits for its user', () => {
  test('continues with the next prompt, once, in the same run; what comes after that is a new one', async () => {
    using folder = tree({ '.agents/skills/desk/oskill.md': desk });
    const booked: string[] = [];
    await using on = deskIn(folder, [...asks, 'Monday it is.', 'Hello.'], booked);
    const context = { sessionId: 'ann' };
    const first = await on.agent.executePrompt('Book it.', { skillName: 'desk', context });
    assert.deepEqual([first.status, first.question?.text], ['waiting', 'Which day?']);
    assert.equal(await isWaiting(on, 'ann'), true);

    const second = await on.agent.executePrompt('Monday', { context });
    assert.deepEqual([second.runId, second.skill, second.text], [first.runId, 'desk', 'Monday it is.']);
    assert.equal(on.model.requests.length, 2);

    const third = await on.agent.executePrompt('Tuesday', { skillName: 'desk', context });
    assert.notEqual(third.runId, first.runId);
    assert.equal(third.text, 'Hello.');
    assert.deepEqual(booked, ['ann Monday']);
    assert.deepEqual(await on.agent.runs.list({ status: ['waiting'] }), []);
    assert.equal(await isWaiting(on, 'ann'), false);
  });

  test('continues the same way in a process that was begun meanwhile', async () => {
    using folder = tree({ '.agents/skills/desk/oskill.md': desk });
    const booked: string[] = [];
    const context = { sessionId: 'ann' };
    const options = { store: folder.at('runs.db') };
    const before = deskIn(folder, asks, booked, options);
    const first = await before.agent.executePrompt('Book it.', { skillName: 'desk', context });
    assert.equal(first.status, 'waiting');
    await before.agent.shutdown();

    await using after = deskIn(folder, ['Monday it is.', 'Hello.'], booked, options);
    const second = await after.agent.executePrompt('Monday', { context });
    assert.deepEqual([second.runId, second.text], [first.runId, 'Monday it is.']);
    assert.deepEqual(booked, ['ann Monday']);
    const ends = ofType(await after.agent.runs.events(first.runId), 'run.ended');
    assert.equal(ends.length, 1);
    const third = await after.agent.executePrompt('Thanks.', { skillName: 'desk', context });
    assert.notEqual(third.runId, first.runId);
    assert.deepEqual(booked, ['ann Monday']);
  });

  test('is answered by one of two prompts that come at once; the other one is a request of its own', async () => {
    using folder = tree({ '.agents/skills/desk/oskill.md': desk });
    const booked: string[] = [];
    await using on = deskIn(folder, [...asks, 'Booked.', 'No skill does this.'], booked);
    const context = { sessionId: 'ann' };
    const { runId } = await on.agent.executePrompt('Book it.', { skillName: 'desk', context });
    const answers = await Promise.all([
      on.agent.executePrompt('Monday', { context }),
      on.agent.executePrompt('Tuesday', { context }),
    ]);
    assert.deepEqual(booked, ['ann Monday']);
    assert.deepEqual(
      answers.map((answer) => answer.runId === runId),
      [true, false],
    );
  });

  test('is passed by a prompt that names a skill, and dropped by a prompt that says so', async () => {
    using folder = tree({ '.agents/skills/desk/oskill.md': desk });
    const booked: string[] = [];
    await using on = deskIn(folder, asks, booked);
    const context = { sessionId: 'ann' };
    const { runId } = await on.agent.executePrompt('Book it.', { skillName: 'desk', context });
    const glob = await on.agent.executePrompt('x', { skillName: 'glob', args: { pattern: '*' }, context });
    assert.notEqual(glob.runId, runId);
    assert.equal((await on.agent.executePrompt('/cancel', { context })).status, 'cancelled');
    assert.deepEqual([booked, await on.agent.runs.list({ status: ['waiting'] })], [[], []]);
  });

  test('waits for each user apart: a sixth one sees nothing of five questions, and each is answered by its own user', async () => {
    using folder = tree({ '.agents/skills/desk/oskill.md': desk });
    const booked: string[] = [];
    const script: Script = ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? 'Good.' : { calls: [call('book')] };
    await using on = deskIn(folder, script, booked);
    const users = ['u1', 'u2', 'u3', 'u4', 'u5'];
    const contextOf = (id: string) => ({ user: { id, sessionId: `of-${id}` } });
    const runs = new Map<string, string>();
    for (const id of users) {
      const { runId, status } = await on.agent.executePrompt('Book it.', {
        skillName: 'desk',
        context: contextOf(id),
      });
      assert.equal(status, 'waiting');
      runs.set(id, runId);
    }
    const sixth = await on.agent.executePrompt('Book a desk.', { context: contextOf('u6') });
    assert.deepEqual([sixth.status, sixth.question?.text], ['waiting', 'Which day?']);
    assert.ok(![...runs.values()].includes(sixth.runId));
    assert.deepEqual(booked, []);

    const stranger = { sessionId: 'of-u5', user: { id: 'u6' } };
    const denied = await on.agent.executePrompt('Sunday', { context: stranger });
    assert.equal(codeOf(denied), 'policy.denied');
    assert.ok(!JSON.stringify(denied).includes('Which day?'));
    assert.deepEqual(booked, []);

    runs.set('u6', sixth.runId);
    for (const id of [...runs.keys()].reverse()) {
      const { runId, text } = await on.agent.executePrompt(`day ${id}`, { context: contextOf(id) });
      assert.deepEqual([runId, text], [runs.get(id), 'Good.']);
    }
    assert.deepEqual(
      booked.sort(),
      [...runs.keys()].map((id) => `of-${id} day ${id}`),
    );
  });
});

describe('an orchestrator inside another one that waits', () => {
  test('continues from its question, and repeats no earlier or parallel work', async () => {
    const counts = { notes: 0 };
    const skills = {
      note: leaf(() => done(`Note ${(counts.notes += 1)}`)),
      ask: leaf(async (_input, scope) => done(textOf(await scope.ask('Which day?')))),
    };
    const orchestrators = {
      front: { ...loop, 'Allowed Skills': '- note\n- inner' },
      inner: { 'Allowed Skills': '- note\n- ask' },
    };
    const plan = createScriptedModel([
      { calls: [call('note'), call('inner', { input: 'Plan the day.' })] },
      '@a note first\n@b ask $a\n@c final_answer $b',
      'All set.',
    ]);
    await using on = orchestratorStage(orchestrators, [], { skills, models: { plan } });
    const context = { sessionId: 'ann' };
    assert.equal((await on.agent.executePrompt('x', { skillName: 'front', context })).status, 'waiting');
    assert.equal((await on.agent.executePrompt('Friday', { context })).text, 'All set.');
    assert.deepEqual([counts.notes, plan.requests.length], [2, 3]);
  });
});
