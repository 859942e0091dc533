import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Policy } from '../../src/core/policy.ts';
import type { RunResult } from '../../src/core/run.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { askAbout, done, hang, settled, textOf, until, type TestSkill } from '../support/kernel.ts';
import { leaf, userTexts } from '../support/loop-stage.ts';
import { sopStage, type SopStage } from '../support/sop-stage.ts';

// Defects of another runtime for plans, in sessions of a real agent. Each test shows that this project does
// not have one of them.

describe('planning again', () => {
  const broken = '@paid charge 20\n@told mail $paid\n@paper print $told\n@last final_answer $paper';
  const fixed = '@paid charge 20\n@told mail $paid\n@shown show $told\n@last final_answer $shown';

  test('repeats what succeeded: charge, mail, charge, mail', async () => {
    const { did, skills } = shop('charge', 'mail', 'show');
    await using on = sopStage([broken, fixed], { ...skills, print: fails });
    assert.equal((await on.agent.run({ skill: 'planner' }).result).text, 'show done');
    assert.deepEqual(did, ['charge 20', 'mail charge done', 'show mail done']);
  });

  test('repeats it when every plan fails, once for each', async () => {
    const { did, skills } = shop('charge', 'mail');
    await using on = sopStage([broken, broken, broken], { ...skills, print: fails });
    assert.equal((await on.agent.run({ skill: 'planner' }).result).status, 'failed');
    assert.deepEqual([on.model.requests.length, did], [3, ['charge 20', 'mail charge done']]);
  });

  test('repeats it for a later process, which also makes the plan again', async () => {
    const { did, skills } = shop('charge', 'mail', 'show');
    const store = createMemoryStore();
    const plans = [broken, fixed];
    const asks: TestSkill = { run: async (_input, scope) => done(textOf(await scope.ask('Ready?'))) };
    const open = (): SopStage =>
      sopStage(
        plans.map((plan) => plan.replace('show $told', 'ask\n@out show $told $shown')),
        { ...skills, ask: asks, print: fails },
        { options: { store } },
      );
    const first = open();
    const { runId } = await first.agent.run({ skill: 'planner' }).result;
    await first.agent.shutdown();
    await using second = open();
    await second.agent.runs.answer(runId, 'yes');
    assert.equal((await second.agent.runs.resume(runId).result).text, 'yes');
    assert.deepEqual(did, ['charge 20', 'mail charge done', 'show mail done yes']);
    assert.equal(second.model.requests.length, 0);
  });
});

describe('permission', () => {
  const plan = '@paid charge 20\n@told mail $paid\n@last final_answer $told';

  test('is never asked for by the steps of a plan', async () => {
    const { did, skills } = shop('charge', 'mail');
    const asked: string[] = [];
    const policy: Policy = {
      decide({ skill }) {
        asked.push(skill);
        return skill === 'mail' ? { decision: 'deny', reason: 'No mails.' } : { decision: 'allow' };
      },
    };
    await using on = sopStage([plan, plan, plan], skills, { options: { policy } });
    const { status, error } = await on.agent.run({ skill: 'planner' }).result;
    assert.deepEqual([status, error?.code], ['failed', 'policy.denied']);
    assert.ok(asked.includes('charge') && asked.includes('mail'), asked.join(' '));
    assert.deepEqual(did, ['charge 20']);
  });

  test('that is not given does not stop a step', async () => {
    const { did, skills } = shop('charge', 'mail');
    const plans = [plan, '@told mail sorry\n@last final_answer $told'];
    await using on = sopStage(plans, skills, { options: { policy: askAbout('charge') } });
    const waiting = await on.agent.run({ skill: 'planner' }).result;
    assert.deepEqual([waiting.status, did], ['waiting', []]);
    await decide(on, waiting, 'no');
    assert.equal((await on.agent.runs.resume(waiting.runId).result).text, 'mail done');
    assert.deepEqual(did, ['mail sorry']);
    assert.match(userTexts(on.model.requests[1]).at(-1) ?? '', /@paid failed: .*Not this one\./);
  });

  test('that is given runs the step once, and what had waited for it', async () => {
    const { did, skills } = shop('charge', 'mail');
    await using on = sopStage([plan], skills, { options: { policy: askAbout('charge') } });
    const waiting = await on.agent.run({ skill: 'planner' }).result;
    await decide(on, waiting, 'once');
    assert.equal((await on.agent.runs.resume(waiting.runId).result).text, 'mail done');
    assert.deepEqual(did, ['charge 20', 'mail charge done']);
  });
});

describe('calling off a session', () => {
  const plan = '@a hangs\n@b mail $a\n@c mail other\n@d charge $b\n@last final_answer $d';

  test('in the middle of a plan lets the remaining steps run, and calls it active', async () => {
    const { did, skills } = shop('charge', 'mail');
    const hangs = leaf((_input, { signal }) => hang(signal));
    await using on = sopStage([plan], { ...skills, hangs });
    const run = on.agent.run({ skill: 'planner' });
    await until(() => did.length === 1);
    await run.cancel();
    const { status, runId } = await settled(run.result);
    assert.deepEqual([status, (await on.agent.runs.find(runId)).status], ['cancelled', 'cancelled']);
    assert.deepEqual(did, ['mail other']);
  });

  test('from the host alone does the same', async () => {
    const { did, skills } = shop('charge', 'mail');
    const stop = new AbortController();
    const hangs = leaf((_input, { signal }) => {
      stop.abort();
      return hang(signal);
    });
    await using on = sopStage([plan], { ...skills, hangs }, { signal: stop.signal });
    await settled(on.agent.run({ skill: 'planner' }).result);
    assert.equal(on.ends[0]?.status, 'canceled');
    assert.ok(!did.includes('charge mail done') && !did.includes('mail '), did.join(', '));
  });
});

describe('a skill that calls itself off', () => {
  test('is a TypeError', async () => {
    const { did, skills } = shop('charge', 'mail');
    const guard = leaf(() => ({
      status: 'failed',
      text: 'Nobody wants it.',
      error: { code: 'usage.cancelled', message: 'Nobody wants it.' },
    }));
    const plan = '@ok guard\n@a mail $ok\n@b charge 5\n@last final_answer $b';
    await using on = sopStage([plan], { ...skills, guard });
    assert.equal((await on.agent.run({ skill: 'planner' }).result).text, 'charge done');
    const { ok, a } = on.ends[0]?.variables ?? {};
    assert.deepEqual([ok?.status, a?.status, did], ['canceled', 'canceled', ['charge 5']]);
  });
});

describe('a step that asks a person', () => {
  const plan = '@day ask\n@booked book $day\n@other note x\n@last final_answer $booked';
  const ask: TestSkill = { run: async (_input, scope) => done(textOf(await scope.ask('Which day?'))) };

  test('gives its question to the steps after it, and is then forgotten', async () => {
    const { did, skills } = shop('book', 'note');
    const store = createMemoryStore();
    const open = (): SopStage => sopStage([plan], { ...skills, ask }, { options: { store } });
    const first = open();
    const waiting = await first.agent.run({ skill: 'planner' }).result;
    assert.deepEqual([waiting.status, did], ['waiting', ['note x']]);
    await first.agent.shutdown();
    await using second = open();
    await second.agent.runs.answer(waiting.runId, 'Monday');
    assert.equal((await second.agent.runs.resume(waiting.runId).result).text, 'book done');
    assert.deepEqual(did, ['note x', 'book Monday']);
  });
});

describe('the end of a session', () => {
  test('is an answer like "undefined:waiting for a" if its input was not created', async () => {
    const plan = '@a print x\n@last final_answer $a';
    await using on = sopStage([plan, plan, plan], { print: fails });
    const { status, text } = await on.agent.run({ skill: 'planner' }).result;
    assert.equal(status, 'failed');
    assert.match(text, /no paper/);
    assert.equal(on.ends[0]?.answer, undefined);
  });

  test('comes after three plans when the first one says that it cannot be done', async () => {
    await using on = sopStage(['@no cannot_complete "There is no printer."'], { print: fails });
    const { error } = await on.agent.run({ skill: 'planner' }).result;
    assert.deepEqual(
      [error?.code, on.ends[0]?.status, on.model.requests.length],
      ['skill.no-result', 'cannot-complete', 1],
    );
  });

  test('comes after three plans when a branch fails that nothing needs', async () => {
    const { skills } = shop('charge');
    const plan = '@x print x\n@y charge $x\n@paid charge 5\n@last final_answer $paid';
    await using on = sopStage([plan], { ...skills, print: fails });
    assert.equal((await on.agent.run({ skill: 'planner' }).result).text, 'charge done');
    assert.deepEqual([on.ends[0]?.plans, on.model.requests.length], [1, 1]);
  });

  test('is the first argument of final_answer alone', async () => {
    const { skills } = shop('charge', 'mail');
    const plan = '@a charge 5\n@b mail x\n@last final_answer $a "and" $b';
    await using on = sopStage([plan], skills);
    assert.equal((await on.agent.run({ skill: 'planner' }).result).text, 'charge done and mail done');
  });
});

describe('a plan that cannot run', () => {
  test('is a ReferenceError, or is over before it was repaired', async () => {
    const { did, skills } = shop('charge');
    await using on = sopStage(
      ['@a chrage 5\n@b charge $c\n@last final_answer $a', '@a charge 5\n@last final_answer $a'],
      skills,
    );
    assert.equal((await settled(on.agent.run({ skill: 'planner' }).result)).text, 'charge done');
    assert.deepEqual([did, on.ends[0]?.plans], [['charge 5'], 1]);
    const reported = userTexts(on.model.requests[1]).at(-1) ?? '';
    for (const fault of [/line 1.*chrage/, /line 2.*\bc\b/]) assert.match(reported, fault);
  });

  test('keeps what runs going when the plan has gone too far', async () => {
    const { skills } = shop('charge');
    let isStopped = false;
    const hangs = leaf((_input, { signal }) =>
      hang(signal).finally(() => {
        isStopped = true;
      }),
    );
    const plan = '@h hangs\n@a charge 1\n@b charge $a\n@c charge $b\n@last final_answer $c';
    await using on = sopStage([plan], { ...skills, hangs }, { limits: { commands: 3 } });
    const { error } = await settled(on.agent.run({ skill: 'planner' }).result);
    assert.equal(error?.code, 'limit.calls');
    await until(() => isStopped);
  });
});

const fails: TestSkill = leaf(() => {
  throw new Error('no paper');
});

/** Creates skills that record their requests. */
function shop(...names: readonly string[]): {
  readonly did: readonly string[];
  readonly skills: Readonly<Record<string, TestSkill>>;
} {
  const did: string[] = [];
  const act = (name: string): TestSkill =>
    leaf((input) => {
      did.push(`${name} ${textOf(input)}`);
      return done(`${name} done`);
    });
  return { did, skills: Object.fromEntries(names.map((name) => [name, act(name)])) };
}

/** Answers the only question of a run. */
async function decide(on: SopStage, { runId, question }: RunResult, answer: 'once' | 'no'): Promise<void> {
  const approval = answer === 'once' ? { allow: 'once' as const } : { deny: 'Not this one.' };
  await on.agent.runs.approve(runId, question?.id ?? '', approval);
}
