import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codeOf, done } from '../../../test/support/kernel.ts';
import { call, leaf, thinker, userTexts } from '../../../test/support/loop-stage.ts';
import { orchestratorStage, type OrchestratorStage } from '../../../test/support/orchestrator-stage.ts';
import type { Json } from '../../core/json.ts';
import { createScriptedModel, type ScriptedModel } from '../../models/scripted.ts';

const orders = leaf(() => done('', ['lamp', 'bell']));
const count = leaf((list: Json) => done('', Array.isArray(list) ? list.length : 0));
const desk = { Instructions: 'Orders first.', 'Allowed Skills': '- orders\n- count' };
const plan = '@all orders now\n@number count $all\n@answer final_answer $number';

describe('an orchestrator that plans', () => {
  test('calls its skills as commands and gives the answer with all variables', async () => {
    await using on = orchestratorStage({ desk }, [plan], { skills: { orders, count } });
    const { text, value, variables } = await on.agent.run({ skill: 'desk', input: 'How many?' }).result;
    assert.deepEqual([text, value], ['2', 2]);
    assert.deepEqual(variables, {
      all: { status: 'success', value: ['lamp', 'bell'] },
      number: { status: 'success', value: 2 },
      answer: { status: 'success', value: 2 },
    });
    const [{ system = '' } = {}] = on.model.requests;
    assert.match(system, /\n\nDoes desk\.\n\nOrders first\.\n\nCommands:\n- orders [^\n]*\n- count [^\n]*$/);
  });

  test('returns its variables to its caller', async () => {
    let received: unknown;
    const ask = async (_input: Json, scope: { call: (name: string, input: Json) => Promise<unknown> }) => {
      received = await scope.call('desk', 'How many?');
      return done();
    };
    await using on = orchestratorStage({ desk }, [plan], { skills: { orders, count, ask } });
    await on.agent.run({ skill: 'ask' }).result;
    assert.deepEqual(Object.keys((received as { variables: object }).variables), ['all', 'number', 'answer']);
  });

  test('has the input as it was given as $input', async () => {
    await using on = orchestratorStage({ desk }, ['@n count $input.list\n@a final_answer $n'], {
      skills: { orders, count },
    });
    assert.equal((await on.agent.run({ skill: 'desk', input: { list: [1, 2, 3] } }).result).value, 3);
  });

  test('plans with nothing when its list is empty, and with every skill when there is none', async () => {
    const orchestrators = { none: { 'Allowed Skills': '' }, all: {} };
    const answer = '@a final_answer ok';
    await using on = orchestratorStage(orchestrators, [answer, answer], { skills: { orders, count } });
    for (const skill of ['none', 'all'])
      assert.equal((await on.agent.run({ skill, input: 'x' }).result).text, 'ok');
    const [none, all] = on.model.requests.map(({ system = '' }) => system);
    assert.match(none ?? '', /Commands:\n\(none\)$/);
    assert.match(all ?? '', /\n- orders [^]*\n- read /);
    assert.doesNotMatch(all ?? '', /\n- all /);
  });

  test('reports the reason for a failure, and the results so far', async () => {
    await using on = orchestratorStage({ desk }, ['@all orders now\n@no cannot_complete "No printer."'], {
      skills: { orders, count },
    });
    const { error, ok } = await on.agent.run({ skill: 'desk', input: 'Print it.' }).result;
    assert.equal(ok, false);
    assert.match(error?.message ?? '', /No printer\./);
    assert.match(JSON.stringify(error?.details), /"status":"cannot-complete"/);
  });

  test('asks for as many plans as the caller wants at most', async () => {
    await using on = orchestratorStage({ desk }, () => 'nonsense', { skills: { orders, count } });
    const overrides = { maxTicks: 2 };
    assert.equal(
      codeOf(await on.agent.run({ skill: 'desk', input: 'x', overrides }).result),
      'model.bad-answer',
    );
    assert.ok(on.model.requests.length <= 2, `${on.model.requests.length}`);
  });
});

describe('a result that is wanted of a plan', () => {
  const result = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
  const skills = { found: leaf(() => done('', { count: 2 })), wrong: leaf(() => done('', { count: 'two' })) };
  const ask = async (command: string): ReturnType<OrchestratorStage['agent']['run']>['result'] => {
    const clerk = { 'Allowed Skills': '- found\n- wrong' };
    await using on = orchestratorStage({ clerk }, [`@x ${command}\n@a final_answer $x`], { skills });
    const outcome = await on.agent.run({ skill: 'clerk', input: 'x', overrides: { result } }).result;
    assert.match(on.model.requests[0]?.system ?? '', /must match this JSON Schema: \{"type":"object"/);
    return outcome;
  };

  test('is its answer, with the variables', async () => {
    const { value, variables } = await ask('found');
    assert.deepEqual([value, Object.keys(variables ?? {})], [{ count: 2 }, ['x', 'a']]);
  });

  test('is a failure when the answer does not fit', async () => {
    const { error } = await ask('wrong');
    assert.equal(error?.code, 'skill.no-result');
    assert.match(error.message, /"clerk" .*count must be a number, not a string/);
  });
});

describe('a later prompt of the same conversation', () => {
  const both = '@all orders now\n@number count $all\n@again orders now\n@answer final_answer $again';
  let callCount = 0;
  const counted = leaf(() => {
    callCount += 1;
    return done('', ['lamp', 'bell']);
  });

  /** Sends these requests to the desk in one conversation, and returns the planner's requests. */
  async function converse(
    planner: ScriptedModel,
    requests: readonly string[],
    more: { readonly sessions?: readonly string[]; readonly large?: boolean } = {},
  ): Promise<readonly (readonly string[])[]> {
    callCount = 0;
    const execution = createScriptedModel(
      requests.flatMap((input) => [{ calls: [call('desk', { input })] }, 'Done.']),
    );
    const large = leaf(() => done('', 'x'.repeat(60_000)));
    await using on = orchestratorStage({ desk }, [], {
      skills: { orders: more.large === true ? large : counted, count, think: thinker(['desk']) },
      models: { plan: planner, execution },
    });
    for (const index of requests.keys())
      await on.agent.run({ skill: 'think', input: 'Hello.', session: more.sessions?.[index] ?? 'one' })
        .result;
    return planner.requests.map(({ messages }) => messages.map(({ text }) => text));
  }

  test('extends the plan: lines that are kept are not done again, a line of its own is', async () => {
    const planner = createScriptedModel([plan, both]);
    const [, second = []] = await converse(planner, ['How many?', 'And now?']);
    assert.deepEqual(second.slice(0, 2), ['How many?', plan]);
    assert.match(second[2] ?? '', /And now\?[^]*Write the complete extended plan\./);
    assert.match(
      planner.requests[1]?.system ?? '',
      /keep the old line and add a copy of it under another name/,
    );
    assert.equal(callCount, 2, 'once for each of the two lines');
  });

  test('of another session knows nothing of it', async () => {
    const [, second = []] = await converse(createScriptedModel([plan, plan]), ['How many?', 'And now?'], {
      sessions: ['one', 'two'],
    });
    assert.equal(second.length, 1);
    assert.equal(callCount, 2);
  });

  test('plans again when what was kept is too large', async () => {
    const [, second = []] = await converse(createScriptedModel([plan, plan]), ['How many?', 'And now?'], {
      large: true,
    });
    assert.equal(second.length, 1);
  });

  test('plans again outside of a conversation: two calls of a program have nothing to do with each other', async () => {
    callCount = 0;
    await using on = orchestratorStage({ desk }, [plan, plan], { skills: { orders: counted, count } });
    for (const input of ['How many?', 'How many?']) await on.agent.run({ skill: 'desk', input }).result;
    assert.deepEqual(
      on.model.requests.map(userTexts).map(({ length }) => length),
      [1, 1],
    );
    assert.equal(callCount, 2);
  });
});
