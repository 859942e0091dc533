import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  askAbout,
  codeOf,
  done,
  ofType,
  said,
  settled,
  textOf,
  type Run,
} from '../../../test/support/kernel.ts';
import type { BareAgent } from '../../agent/recursive-skilled-agent.ts';

/** Creates a skill with two calls and a step in between, which all report how often they ran. */
function counting(): {
  readonly skills: Readonly<Record<string, Run>>;
  readonly times: Record<string, number>;
} {
  const times: Record<string, number> = { one: 0, step: 0, two: 0, top: 0 };
  const count = (name: string): number => (times[name] = (times[name] ?? 0) + 1);
  return {
    times,
    skills: {
      top: async (input, scope) => {
        count('top');
        const one = await scope.call('one', input);
        const step = await scope.step('s', () => count('step'));
        return done(`${said(one)} step${step} ${said(await scope.call('two', input))}`);
      },
      one: () => done(`one${count('one')}`),
      two: () => done(`two${count('two')}`),
    },
  };
}

async function frameOf(agent: BareAgent, runId: string, skill: string): Promise<string> {
  return (
    ofType(await agent.runs.events(runId), 'frame.started').find((event) => event.skill === skill)?.frameId ??
    ''
  );
}

describe('running again', () => {
  test('without a frame does everything again, with the same request', async () => {
    const { skills, times } = counting();
    await using agent = agentWith(skills);
    const first = agent.run({ skill: 'top', input: { n: 1 }, session: 'mine', limits: { depth: 5 } });
    assert.equal((await first.result).text, 'one1 step1 two1');
    const second = agent.runs.rerun(first.id);
    assert.notEqual(second.id, first.id);
    assert.equal((await settled(second.result)).text, 'one2 step2 two2');
    assert.deepEqual(times, { one: 2, step: 2, two: 2, top: 2 });
    const [started] = ofType(await agent.runs.events(second.id), 'run.started');
    assert.deepEqual(
      [started?.rerunOf, started?.session, started?.input, started?.limits.depth],
      [first.id, 'mine', { n: 1 }, 5],
    );
  });

  test('from a frame reuses what had ended before it began', async () => {
    const { skills } = counting();
    await using agent = agentWith(skills);
    const first = agent.run({ skill: 'top' });
    await first.result;
    const again = agent.runs.rerun(first.id, { from: await frameOf(agent, first.id, 'two') });
    assert.equal((await settled(again.result)).text, 'one1 step1 two2');
    const fromOne = agent.runs.rerun(first.id, { from: await frameOf(agent, first.id, 'one') });
    assert.equal((await settled(fromOne.result)).text, 'one2 step2 two3');
    const twice = agent.runs.rerun(again.id, { from: await frameOf(agent, again.id, 'two') });
    assert.equal((await settled(twice.result)).text, 'one1 step1 two4');
  });

  test('reuses answers that were given before the frame', async () => {
    await using agent = agentWith({
      top: async (_input, scope) =>
        done(`${textOf(await scope.ask('x'))} ${said(await scope.call('two', null))}`),
      two: () => done('two'),
    });
    const { runId } = await agent.run({ skill: 'top' }).result;
    await agent.runs.answer(runId, 'A');
    await settled(agent.runs.resume(runId).result);
    const again = agent.runs.rerun(runId, { from: await frameOf(agent, runId, 'two') });
    assert.equal((await settled(again.result)).text, 'A two');
  });

  test('asks the same in words, but as no turn of the conversation', async () => {
    const { skills } = counting();
    await using agent = agentWith(skills);
    const first = agent.run({ prompt: '/top go', session: 'mine' });
    assert.equal((await settled(first.result)).text, 'one1 step1 two1');
    const again = agent.runs.rerun(first.id);
    assert.equal((await settled(again.result)).text, 'one2 step2 two2');
    const [started] = ofType(await agent.runs.events(again.id), 'run.started');
    assert.deepEqual(
      [started?.skill, started?.prompt, started?.session, started?.turn],
      ['', '/top go', 'mine', undefined],
    );
  });

  test('from a frame keeps the skill that was chosen for the prompt', async () => {
    const { skills } = counting();
    await using agent = agentWith(skills);
    const first = agent.run({ prompt: '@top go' });
    await settled(first.result);
    const again = agent.runs.rerun(first.id, { from: await frameOf(agent, first.id, 'two') });
    assert.equal((await settled(again.result)).text, 'one1 step1 two2');
    const types = (await agent.runs.events(again.id)).map(({ type }) => type);
    assert.deepEqual(types.slice(0, 2), ['run.started', 'skill.selected']);
    assert.equal(types.filter((type) => type === 'skill.selected').length, 1);
  });

  test('of a run or a frame that does not exist fails, and leaves no run', async () => {
    const { skills } = counting();
    await using agent = agentWith(skills);
    const first = agent.run({ skill: 'top' });
    await first.result;
    assert.equal(codeOf(await settled(agent.runs.rerun('r_nothing').result)), 'usage.not-found');
    assert.equal(
      codeOf(await settled(agent.runs.rerun(first.id, { from: 'f_nothing' }).result)),
      'usage.not-found',
    );
    assert.equal((await agent.runs.list()).length, 1);
  });

  test('with a signal that is aborted before begins nothing', async () => {
    const { skills } = counting();
    await using agent = agentWith(skills);
    const first = agent.run({ skill: 'top' });
    await first.result;
    const again = agent.runs.rerun(first.id, { signal: AbortSignal.abort() });
    assert.equal((await settled(again.result)).status, 'cancelled');
    assert.equal((await agent.runs.list()).length, 1);
  });

  test('counts what is reused against the limits', async () => {
    const { skills } = counting();
    await using agent = agentWith(skills);
    const first = agent.run({ skill: 'top', limits: { frames: 3 } });
    assert.equal((await first.result).text, 'one1 step1 two1');
    const again = agent.runs.rerun(first.id, { from: await frameOf(agent, first.id, 'two') });
    assert.equal((await settled(again.result)).text, 'one1 step1 two2');
  });

  test('asks again for what a person allowed in the earlier run, once or for all of it', async () => {
    for (const allow of ['once', 'run'] as const) {
      let times = 0;
      await using agent = agentWith(
        {
          top: async (_input, scope) => {
            const outputs = [await scope.call('careful', 1), await scope.call('mark', null)];
            if (times > 0) outputs.push(await scope.call('careful', 2));
            return done(outputs.map(said).join(' '));
          },
          careful: () => done(`careful${++times}`),
          mark: () => done('mark'),
        },
        { policy: askAbout('careful') },
      );
      const first = await settled(agent.run({ skill: 'top' }).result);
      let result = first;
      for (let turn = 0; turn < 2 && result.status === 'waiting'; turn++) {
        await agent.runs.approve(first.runId, result.question?.id ?? '', { allow });
        result = await settled(agent.runs.resume(first.runId).result);
      }
      assert.equal(result.text, 'careful1 mark careful2', allow);
      for (const skill of ['careful', 'mark']) {
        const again = agent.runs.rerun(first.runId, { from: await frameOf(agent, first.runId, skill) });
        const { status, question } = await settled(again.result);
        assert.deepEqual([status, question?.kind, times], ['waiting', 'approval', 2], `${allow} ${skill}`);
      }
    }
  });
});
