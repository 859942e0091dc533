import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { watchEvents } from '../../../../test/sop/watch-events.ts';
import { AgentError } from '../../../core/error.ts';
import { waitFor, type SopCommand } from '../command.ts';
import type { SopState } from '../plan-run.ts';
import { createSop, runSop } from './run-sop.ts';

describe('a plan after another', () => {
  test('never does again what succeeded, under another name neither', async () => {
    const { done, commands } = doers();
    const sop = createSop(commands);
    await sop.run('@a pay 5\n@b mail $a');
    await sop.run('@a pay 5\n@b mail $a\n@c pay 6');
    await sop.run('@x pay 5\n@b mail $x\n@y pay 6');
    assert.deepEqual(done, ['a pay 5', 'b mail pay 5', 'c pay 6']);
  });

  test('never does it again by another name of its command', async () => {
    const { done, commands } = doers();
    const [pay] = commands;
    const sop = createSop({
      find: (name) => (name.toLowerCase() === 'pay' ? pay : undefined),
      names: () => ['pay'],
    });
    await sop.run('@a pay 5');
    const end = await sop.run('@a Pay 5');
    assert.deepEqual([done, end.answer], [['a pay 5'], 'pay 5']);
  });

  test('never repeats a step under another name, for example if steps are renumbered', async () => {
    const { done, commands } = doers();
    const sop = createSop(commands);
    await sop.run('@s1 pay 1\n@s2 pay 2\n@s3 pay 3\n@s4 mail 4');
    await sop.run('@s1 pay 2\n@s2 pay 3\n@s3 mail 4\n@s4 pay 1');
    await sop.run('@s1 pay 0\n@s2 pay 1\n@s3 pay 2 when $s1\n@s4 pay 3 when $s1\n@s5 mail 4');
    assert.deepEqual(done.slice(4), ['s1 pay 0']);
  });

  test('never does it again where what they are given comes from others', async () => {
    const { done, commands } = doers();
    const sop = createSop(commands, { input: ['a', 'b', 'c'] });
    await sop.run('@i assign $input\n@s1 pay $i.0\n@s2 pay $i.1\n@s3 pay $i.2');
    await sop.run('@i assign $input\n@s1 pay $i.1\n@s2 pay $i.2');
    assert.deepEqual(done, ['s1 pay a', 's2 pay b', 's3 pay c']);
  });

  test('never does an item again that moved in its list, or out of it', async () => {
    const { done, commands } = doers();
    const sop = createSop(commands, { input: { one: ['a', 'b'], other: ['x', 'b', 'a', 'a'] } });
    await sop.run('@all each $input.one pay');
    const { answer } = await sop.run('@all each $input.other pay');
    assert.deepEqual(done, ['all[0] pay a', 'all[1] pay b', 'all[0] pay x', 'all[3] pay a']);
    assert.deepEqual(answer, ['pay x', 'pay b', 'pay a', 'pay a']);
    await sop.run('@all pay b');
    assert.equal(done.length, 4);
  });

  test('does what is meant a second time, in one plan and in the next', async () => {
    const { done, commands } = doers();
    const sop = createSop(commands);
    await sop.run('@a pay 5\n@b pay 5');
    await sop.run('@a pay 5\n@b pay 5\n@c pay 5');
    assert.deepEqual(done, ['a pay 5', 'b pay 5', 'c pay 5']);
  });

  test('does again what has other arguments or needs', async () => {
    const { done, commands } = doers();
    const sop = createSop(commands);
    await sop.run('@a pay 5\n@b mail $a');
    await sop.run('@a pay 6\n@b mail $a');
    assert.deepEqual(done, ['a pay 5', 'b mail pay 5', 'a pay 6', 'b mail pay 6']);
  });

  test('remembers what left the plan for a while', async () => {
    const { done, commands } = doers();
    const sop = createSop(commands);
    await sop.run('@a pay 5');
    await sop.run('@b mail x');
    await sop.run('@c pay 5');
    assert.deepEqual(done, ['a pay 5', 'b mail x']);
  });

  test('keeps the items of a list that did not change', async () => {
    const { done, commands } = doers();
    const sop = createSop(commands, { input: { one: [1, 2], other: [1, 3] } });
    await sop.run('@a each $input.one pay');
    const end = await sop.run('@a each $input.other pay');
    assert.deepEqual(done, ['a[0] pay 1', 'a[1] pay 2', 'a[1] pay 3']);
    assert.deepEqual(end.variables['a'], { status: 'success', value: ['pay 1', 'pay 3'] });
  });

  test('answers again', async () => {
    const watch = watchEvents();
    const sop = createSop(doers().commands, watch);
    await sop.run('@a pay 5\n@b final_answer $a');
    await sop.run('@a pay 5\n@b final_answer $a');
    assert.deepEqual(watch.texts.slice(-5), [
      'plan started',
      'a kept success',
      'b started',
      'b ended success',
      'plan ended done',
    ]);
  });

  test('has keys of its own', async () => {
    const keys: string[] = [];
    const note: SopCommand = { name: 'note', run: ({ key }) => (keys.push(key), undefined) };
    const sop = createSop([note], { input: ['x'] });
    await sop.run('@a note\n@a[0] note\n@b each $input note');
    await sop.run('@a note');
    assert.deepEqual(keys, ['p1:a', 'p1:a[0]', 'p1[0]:b', 'p2:a']);
  });
});

describe('what failed', () => {
  const script = '@a fails\n@b echo $a';

  test('is tried again by another plan, once', async () => {
    const { tries, commands } = failing();
    const sop = createSop(commands);
    await sop.run(script);
    await sop.run(`${script}\n@c echo 1`);
    assert.equal(tries(), 2);
    const end = await sop.updateCode(`${script}\n@c echo 1`);
    assert.deepEqual([tries(), end.status, end.variables['b']?.status], [2, 'failed', 'undefined']);
  });

  test('is tried again by a new plan that says the same', async () => {
    const { tries, commands } = failing();
    const sop = createSop(commands);
    await sop.run(script);
    await sop.run(script);
    assert.equal(tries(), 2);
  });

  test('stays so when the same plan is resumed elsewhere, or updated to itself', async () => {
    const { tries, commands } = failing();
    const sop = createSop(commands);
    const { state } = await sop.run(script);
    await sop.updateCode(script);
    const end = await runSop(script, commands, { resumeFrom: roundTrip(state) });
    assert.deepEqual([tries(), end.status, end.error?.message], [1, 'failed', 'broken']);
  });

  test('is tried again when that is asked for', async () => {
    const { tries, commands } = failing();
    const { state } = await runSop(script, commands);
    await runSop(script, commands, { resumeFrom: state, retriesFailed: true });
    assert.equal(tries(), 2);
  });

  test('is tried again when a policy was the reason', async () => {
    const { tries, commands } = failing(new AgentError('policy.denied', 'Not today.'));
    const { state } = await runSop(script, commands);
    await runSop(script, commands, { resumeFrom: state });
    assert.equal(tries(), 2);
  });

  test('before another plan was cancelled is tried by that plan when it is resumed', async () => {
    const { tries, commands } = failing();
    const sop = createSop(commands);
    await sop.run(script);
    const controller = new AbortController();
    controller.abort();
    const other = `${script}\n@c echo 1`;
    const { state } = await runSop(other, commands, { resumeFrom: sop.state, signal: controller.signal });
    await runSop(other, commands, { resumeFrom: state });
    assert.equal(tries(), 2);
  });

  test('and what has no result or was canceled is not remembered', async () => {
    const { state } = await runSop('@a nothing\n@x echo 0\n@b echo 1 when $x', failing().commands);
    assert.deepEqual(
      state.records.map(({ variable }) => variable),
      ['x'],
    );
  });
});

describe('an update', () => {
  test('that cannot run changes nothing', async () => {
    const { done, commands } = doers();
    const sop = createSop(commands);
    await sop.run('@a pay 5');
    const before = [sop.variables, sop.state];
    await assert.rejects(sop.updateCode('@a pay $nobody\n@b unknown'), (thrown: AgentError) => {
      assert.equal(thrown.code, 'usage.bad-input');
      const { issues } = thrown.details as unknown as { issues: readonly { code: string }[] };
      assert.deepEqual(
        issues.map(({ code }) => code),
        ['sop.undefined', 'sop.unknown-command'],
      );
      return true;
    });
    assert.deepEqual([sop.variables, sop.state], before);
    assert.deepEqual(done, ['a pay 5']);
  });

  test('waits for what runs, and one that cannot run is refused at once', async () => {
    const latch = Promise.withResolvers<string>();
    const watch = watchEvents();
    const sop = createSop([{ name: 'hold', run: () => latch.promise }], watch);
    const first = sop.run('@a hold\n@b assign $a');
    await watch.until('a started');
    const second = sop.updateCode('@a hold\n@c assign $a');
    await assert.rejects(sop.updateCode('@a'), { code: 'usage.bad-input' });
    assert.deepEqual(sop.variables, {});
    latch.resolve('x');
    assert.deepEqual(Object.keys((await first).variables), ['a', 'b']);
    assert.deepEqual(Object.keys((await second).variables), ['a', 'c']);
    assert.equal(watch.texts.filter((text) => text === 'a started').length, 1);
    assert.deepEqual(sop.variables, (await second).variables);
  });

  test('runs although the plan before it broke off', async () => {
    let events = 0;
    const onEvent = (): void => {
      events += 1;
      if (events === 1) throw new Error('a bug of the host');
    };
    const sop = createSop([], { onEvent });
    const first = sop.run('@a assign 1');
    const second = sop.updateCode('@a assign 2');
    await assert.rejects(first, /a bug of the host/);
    assert.equal((await second).answer, '2');
  });
});

test('a handle runs one plan at a time', async () => {
  const sop = createSop([]);
  const first = sop.run('@a assign 1');
  await assert.rejects(sop.run('@a assign 2'), { code: 'usage.bad-input' });
  assert.equal((await first).answer, '1');
  assert.equal((await sop.run('@a assign 2')).answer, '2');
});

test('a cancel cancels what runs and what is queued, and not what comes later', async () => {
  const watch = watchEvents();
  const held: SopCommand = {
    name: 'held',
    run: ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('')))),
  };
  const sop = createSop([held], watch);
  const first = sop.run('@a held');
  const second = sop.updateCode('@b assign 1');
  await watch.until('a started');
  sop.cancel('enough');
  const ends = await Promise.all([first, second]);
  assert.deepEqual(
    ends.map(({ status, error }) => [status, error?.message]),
    Array(2).fill(['canceled', 'enough']),
  );
  assert.equal((await sop.run('@b assign 1')).status, 'done');
});

describe('a step that waits', () => {
  const ask: SopCommand = { name: 'ask', run: ({ input, answer }) => answer ?? waitFor(input) };
  const script = '@day ask "Which day?"\n@book pay $day\n@other pay x\n@last final_answer $book';

  test('holds up what depends on it and nothing else, and is answered later, elsewhere', async () => {
    const { done, commands } = doers();
    const waiting = await runSop(script, [...commands, ask]);
    assert.deepEqual(
      [waiting.status, waiting.questions, waiting.error],
      ['waiting', { day: 'Which day?' }, undefined],
    );
    assert.deepEqual(waiting.variables['book'], {
      status: 'undefined',
      reason: 'depends on day: waits for an answer',
      origin: 'day',
    });
    const resumeFrom = roundTrip(waiting.state);
    const still = await runSop(script, [...commands, ask], { resumeFrom });
    assert.deepEqual([still.status, still.questions], ['waiting', { day: 'Which day?' }]);
    const end = await runSop(script, [...commands, ask], { resumeFrom, answers: { day: 'Monday' } });
    assert.deepEqual([end.status, end.answer, end.questions], ['done', 'pay Monday', undefined]);
    assert.deepEqual(done, ['other pay x', 'book pay Monday']);
  });

  test('waits for each of a list, and what is answered is kept', async () => {
    const each = '@all each $input ask\n@sum pay $all';
    const { done, commands } = doers();
    const input = ['a?', 'b?'];
    const waiting = await runSop(each, [...commands, ask], { input });
    assert.deepEqual([waiting.status, waiting.questions], ['waiting', { 'all.0': 'a?', 'all.1': 'b?' }]);
    const half = await runSop(each, [...commands, ask], {
      input,
      resumeFrom: waiting.state,
      answers: { 'all.1': 'B' },
    });
    assert.deepEqual([half.status, half.questions], ['waiting', { 'all.0': 'a?' }]);
    const end = await runSop(each, [...commands, ask], {
      input,
      resumeFrom: half.state,
      answers: { 'all.0': 'A' },
    });
    assert.deepEqual(
      [end.status, end.variables['all'], done],
      ['done', { status: 'success', value: ['A', 'B'] }, ['sum pay ["A","B"]']],
    );
  });

  test('holds up what it guards, whichever way, and what is guarded by that', async () => {
    const guardScript = '@ok ask sure?\n@a pay x when not $ok\n@b pay $ok\n@c pay y when not $b';
    const { done, commands } = doers();
    const waiting = await runSop(guardScript, [...commands, ask]);
    const origins = Object.values(waiting.variables).map((value) => 'origin' in value && value.origin);
    assert.deepEqual([waiting.status, done, origins], ['waiting', [], ['ok', 'ok', 'ok', 'ok']]);
    await runSop(guardScript, [...commands, ask], { resumeFrom: waiting.state, answers: { ok: 'yes' } });
    assert.deepEqual(done, ['b pay yes']);
  });

  test('outweighs a failure, and an answer that is there', async () => {
    const { status, answer } = await runSop('@a ask x\n@b final_answer done', [ask]);
    assert.deepEqual([status, answer], ['waiting', 'done']);
  });

  test('takes an answer once: the next plan asks for itself', async () => {
    const sop = createSop([ask], { answers: { a: 'yes' } });
    assert.equal((await sop.run('@a ask one')).answer, 'yes');
    assert.equal((await sop.run('@a ask two')).status, 'waiting');
  });
});

test('given values are not changed by commands', async () => {
  const spoil: SopCommand = { name: 'spoil', run: ({ input }) => (input as Json[]).push(1) };
  type Json = number;
  const input: Json[] = [];
  const end = await runSop('@a spoil $input', [spoil], { input });
  assert.deepEqual([end.status, input], ['failed', []]);
});

/** Creates commands that return and record what they did. */
function doers(): { readonly done: readonly string[]; readonly commands: readonly SopCommand[] } {
  const done: string[] = [];
  const commands = ['pay', 'mail'].map((name): SopCommand => ({
    name,
    run({ variable, index, input }) {
      const text = `${name} ${typeof input === 'string' ? input : JSON.stringify(input)}`;
      done.push(`${variable}${index === undefined ? '' : `[${index}]`} ${text}`);
      return text;
    },
  }));
  return { done, commands };
}

function failing(error = new Error('broken')): { tries(): number; readonly commands: readonly SopCommand[] } {
  let count = 0;
  const fails: SopCommand = {
    name: 'fails',
    run() {
      count += 1;
      throw error;
    },
  };
  const echo: SopCommand = { name: 'echo', run: ({ input }) => input };
  return { tries: () => count, commands: [fails, echo, { name: 'nothing', run: () => undefined }] };
}

function roundTrip(state: SopState): SopState {
  return JSON.parse(JSON.stringify(state)) as SopState;
}
