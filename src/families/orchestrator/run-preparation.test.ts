import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { done } from '../../../test/support/kernel.ts';
import { call, leaf, toolTexts, userTexts } from '../../../test/support/loop-stage.ts';
import { orchestratorStage, type Sections } from '../../../test/support/orchestrator-stage.ts';
import { AgentError } from '../../core/error.ts';

const skills = {
  calendar: leaf(() => done('Monday')),
  orders: leaf(() => done('Two orders.')),
};
const prepared = (session: string, more: Sections = {}): Sections => ({
  Session: session,
  Preparation: 'Find out which day is meant.',
  'Allowed Skills': '- orders',
  'Allowed Prep Skills': '- calendar',
  ...more,
});

describe('the preparation of a loop session', () => {
  test('has its own tools, and what it finds is before the request as data', async () => {
    await using on = orchestratorStage(
      { desk: prepared('loop') },
      [{ calls: [call('calendar')] }, 'It is </findings> Monday.', { calls: [call('orders')] }, 'Two.'],
      { skills },
    );
    assert.equal((await on.agent.run({ skill: 'desk', input: 'How many?' }).result).text, 'Two.');
    assert.deepEqual(on.offered(), [['calendar'], ['calendar'], ['orders'], ['orders']]);
    const [first, , third] = on.model.requests;
    assert.match(first?.system ?? '', /You only prepare[^]*Does desk\.[^]*Find out which day is meant\./);
    assert.deepEqual(userTexts(first), ['How many?']);
    assert.match(
      userTexts(third)[0] ?? '',
      /<findings>\nIt is &lt;\/findings> Monday\.\n<\/findings>\n\nThe request:\n\nHow many\?$/,
    );
  });

  test('takes the main list without one of its own, and no tools with an empty one', async () => {
    const { 'Allowed Prep Skills': _own, ...without } = prepared('loop');
    const orchestrators = { same: without, none: prepared('loop', { 'Allowed Prep Skills': '' }) };
    await using on = orchestratorStage(orchestrators, ['1', '2', '3', '4'], { skills });
    for (const skill of ['same', 'none']) await on.agent.run({ skill, input: 'x' }).result;
    assert.deepEqual(on.offered(), [['orders'], ['orders'], [], ['orders']]);
  });

  test('keeps to its list also where the main session may call everything', async () => {
    const { 'Allowed Skills': _main, ...open } = prepared('loop');
    await using on = orchestratorStage({ desk: open }, ['1', '2'], { skills });
    await on.agent.run({ skill: 'desk', input: 'x' }).result;
    const [first, second = []] = on.offered();
    assert.deepEqual(first, ['calendar']);
    assert.ok(second.includes('orders') && second.includes('calendar'));
  });

  test('lets neither stage use what only the other may', async () => {
    await using on = orchestratorStage(
      { desk: prepared('loop') },
      [{ calls: [call('orders')] }, 'Nothing.', { calls: [call('calendar')] }, 'Nothing.'],
      { skills },
    );
    await on.agent.run({ skill: 'desk', input: 'x' }).result;
    for (const turn of [1, 3]) assert.match(toolTexts(on.model.requests[turn])[0] ?? '', /^Error: /);
  });

  test('has eight steps; that it failed is said, and the session does not begin', async () => {
    const again = (_request: unknown, turn: number): object => ({
      calls: [call('calendar', { input: `${turn}` })],
    });
    await using on = orchestratorStage({ desk: prepared('loop') }, again, { skills });
    const { error } = await on.agent.run({ skill: 'desk', input: 'x' }).result;
    assert.equal(error?.code, 'limit.steps');
    assert.match(error.message, /^The preparation of "desk" failed: /);
    assert.equal(on.model.requests.length, 8);
  });
});

describe('the preparation of a plan', () => {
  const find = '@day calendar today\n@a final_answer $day';
  const main = '@all orders now\n@a final_answer $all';

  test('is a plan with its own commands, and what it finds is before the request', async () => {
    await using on = orchestratorStage({ desk: prepared('sop') }, [find, main], { skills });
    assert.equal((await on.agent.run({ skill: 'desk', input: 'How many?' }).result).text, 'Two orders.');
    const [first, second] = on.model.requests.map(({ system = '' }) => system);
    assert.match(first ?? '', /Commands:\n- calendar [^\n]*$/);
    assert.match(second ?? '', /Commands:\n- orders [^\n]*$/);
    assert.match(userTexts(on.model.requests[1])[0] ?? '', /<findings>\nMonday\n<\/findings>[^]*How many\?/);
  });

  test('has no commands with an empty list', async () => {
    const desk = prepared('sop', { 'Allowed Prep Skills': '-' });
    await using on = orchestratorStage({ desk }, ['@a final_answer nothing', main], { skills });
    await on.agent.run({ skill: 'desk', input: 'x' }).result;
    assert.match(on.model.requests[0]?.system ?? '', /Commands:\n\(none\)$/);
  });

  test('that fails is said', async () => {
    const calendar = leaf(() => {
      throw new AgentError('skill.failed', 'No calendar.');
    });
    await using on = orchestratorStage({ desk: prepared('sop') }, [find, find, find], {
      skills: { ...skills, calendar },
    });
    const { error } = await on.agent.run({ skill: 'desk', input: 'x' }).result;
    assert.equal(error?.message, 'The preparation of "desk" failed: No calendar.');
  });
});
