import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ModelRequest } from '../../src/core/model.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { done, ofType, textOf } from '../support/kernel.ts';
import { call, leaf, thinker, toolTexts, userTexts } from '../support/loop-stage.ts';
import { orchestratorStage } from '../support/orchestrator-stage.ts';

// Defects of another agent runtime. Each test shows that this project does not have one of them.

const loop = { Session: 'loop' };
const skills = { orders: leaf(() => done('Two orders.')), mail: leaf(() => done('Sent.')) };

describe('lists of an orchestrator', () => {
  test('give the preparation the main list when its own is empty', async () => {
    const desk = { ...loop, 'Allowed Skills': '- mail', Preparation: 'Look.', 'Allowed Prep Skills': '' };
    await using on = orchestratorStage({ desk }, ['Nothing.', 'Done.'], { skills });
    await on.agent.run({ skill: 'desk', input: 'x' }).result;
    assert.deepEqual(on.offered(), [[], ['mail']]);
  });

  test('are made of a subheading of the instructions, or of a line in a fence', async () => {
    const desk = {
      ...loop,
      Instructions: 'As follows.\n\n### Skills\n\n- mail\n\n```\n# Allowed Skills\n- mail\n```',
    };
    await using on = orchestratorStage({ desk }, ['Done.'], { skills });
    await on.agent.run({ skill: 'desk', input: 'x' }).result;
    const [tools = []] = on.offered();
    assert.ok(tools.includes('orders') && tools.includes('mail'), tools.join());
  });
});

describe('orchestrators that call each other', () => {
  const other = ({ system = '' }: ModelRequest): string => (system.includes('Does left.') ? 'right' : 'left');
  const orchestrators = { left: { ...loop, Skills: '- right' }, right: { ...loop, Skills: '- left' } };

  test('never stop with the same request', async () => {
    const script = (request: ModelRequest) =>
      toolTexts(request).length === 0 ? { calls: [call(other(request), { input: 'Go.' })] } : 'Enough.';
    await using on = orchestratorStage(orchestrators, script);
    const { text, runId } = await on.agent.run({ skill: 'left', input: 'Go.' }).result;
    assert.equal(text, 'Enough.', 'whoever was refused went on');
    const [refused] = ofType(await on.agent.runs.events(runId), 'call.refused');
    assert.equal(refused?.error.code, 'limit.cycle');
    assert.equal(on.model.requests.length, 4);
  });

  test('never stop with a new request each time', async () => {
    const script = (request: ModelRequest, turn: number) =>
      toolTexts(request).length === 0
        ? { calls: [call(other(request), { input: `Go ${turn}.` })] }
        : 'Enough.';
    await using on = orchestratorStage(orchestrators, script, { limits: { depth: 6 } });
    const { text, runId } = await on.agent.run({ skill: 'left', input: 'Go.' }).result;
    assert.equal(text, 'Enough.');
    const [refused] = ofType(await on.agent.runs.events(runId), 'call.refused');
    assert.equal(refused?.error.code, 'limit.depth');
  });

  test('never stop when plans call each other', async () => {
    const plans = { left: { Skills: '- right' }, right: { Skills: '- left' } };
    const script = (request: ModelRequest) =>
      request.messages.length === 1
        ? `@a ${other(request)} "Go."\n@b final_answer $a`
        : '@b final_answer Enough.';
    await using on = orchestratorStage(plans, script);
    assert.equal((await on.agent.run({ skill: 'left', input: 'Go.' }).result).text, 'Enough.');
  });
});

describe('a conversation around an orchestrator', () => {
  test('is not known to it', async () => {
    const plan = createScriptedModel(['A bell.']);
    const execution = createScriptedModel([
      { calls: [call('orders')] },
      { calls: [call('desk', { input: 'And the second one?' })] },
      'Done.',
    ]);
    await using on = orchestratorStage({ desk: { ...loop, Skills: '' } }, [], {
      skills: { ...skills, think: thinker(['orders', 'desk']) },
      models: { plan, execution },
    });
    await on.agent.run({ skill: 'think', input: 'Which orders are open?' }).result;
    assert.match(
      userTexts(plan.requests[0])[0] ?? '',
      /Which orders are open\?[^]*Two orders\.[^]*And the second one\?/,
    );
  });
});

describe('a loop session that waits for a person', () => {
  const desk = { ...loop, Skills: '- book' };
  const script = ({ messages }: ModelRequest) =>
    messages.some(({ role }) => role === 'tool') ? 'Booked.' : { calls: [call('book')] };

  test('invokes the skill that asked three times, and is shared by two sessions', async () => {
    const booked: string[] = [];
    const book = leaf(async (_input, scope) => {
      booked.push(`${scope.run.session} ${textOf(await scope.ask('Which day?'))}`);
      return done('Noted.');
    });
    await using on = orchestratorStage({ desk }, script, { skills: { book } });
    const ann = await on.agent.run({ skill: 'desk', input: 'Book it.', session: 'ann' }).result;
    const ben = await on.agent.run({ skill: 'desk', input: 'Book it.', session: 'ben' }).result;
    for (const [runId, day] of [
      [ben.runId, 'Tuesday'],
      [ann.runId, 'Monday'],
    ] as const) {
      await on.agent.runs.answer(runId, day);
      assert.equal((await on.agent.runs.resume(runId).result).text, 'Booked.');
    }
    assert.deepEqual(booked, ['ben Tuesday', 'ann Monday']);
  });
});
