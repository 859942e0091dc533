import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cancelStep, waitFor, type SopCommand } from '../../src/engines/sop/command.ts';
import { createSop, runSop } from '../../src/engines/sop/execute/run-sop.ts';
import type { SopEnd } from '../../src/engines/sop/plan-run.ts';
import { countedCommands } from '../support/counted-commands.ts';
import { hang, settled, until } from '../support/kernel.ts';

// Defects of another runtime for plans. Each test shows that this project does not have one of them.

describe('a second plan', () => {
  test('repeats what the first one did: charge, mail, charge, mail', async () => {
    let isBroken = true;
    const flaky: SopCommand = {
      name: 'print',
      run: () => (isBroken ? Promise.reject(new Error('no paper')) : 'printed'),
    };
    const { executed, commands } = countedCommands(['charge', 'mail'], flaky);
    const sop = createSop(commands, {});
    const script = '@paid charge 20\n@told mail $paid\n@paper print $told\n@last final_answer $paper';
    assert.equal((await sop.run(script)).status, 'failed');
    isBroken = false;
    const end = await sop.run(script.replace('print $told', 'print $told twice'));
    assert.deepEqual([end.status, end.answer], ['done', 'printed']);
    assert.deepEqual(executed, ['charge 20', 'mail charge 20']);
  });
});

describe('calling off a plan', () => {
  test('lets the remaining steps run, and calls it active', async () => {
    const { executed, commands } = countedCommands(['mail'], hanging);
    const sop = createSop(commands, {});
    const run = sop.run('@a hang\n@b mail $a\n@c mail $b');
    sop.cancel('Not today.');
    const end = await settled(run);
    assert.deepEqual([end.status, end.error?.code, executed], ['canceled', 'usage.cancelled', []]);
    assert.deepEqual(statuses(end), { a: 'canceled', b: 'canceled', c: 'canceled' });
  });

  test('does not reach what runs', async () => {
    let reached: unknown;
    const started = Promise.withResolvers<undefined>();
    const listens: SopCommand = {
      name: 'listen',
      async run({ signal }) {
        started.resolve(undefined);
        await hang(signal).catch((reason: unknown) => (reached = reason));
        return 'late';
      },
    };
    const stop = new AbortController();
    const run = runSop('@a listen', [listens], { signal: stop.signal });
    await started.promise;
    stop.abort();
    assert.equal((await settled(run)).status, 'canceled');
    assert.notEqual(reached, undefined);
  });

  test('is a TypeError for a command that calls itself off', async () => {
    const { executed, commands } = countedCommands(['mail'], {
      name: 'guard',
      run: () => cancelStep('nobody wants it'),
    });
    const end = await runSop('@ok guard\n@a mail $ok\n@b mail other', commands, {});
    assert.deepEqual(statuses(end), { ok: 'canceled', a: 'canceled', b: 'success' });
    assert.deepEqual([end.status, executed], ['done', ['mail other']]);
  });
});

describe('a step that waits for a person', () => {
  const asks: SopCommand = { name: 'ask', run: ({ input, answer }) => answer ?? waitFor(input) };
  const script = '@day ask "Which day?"\n@booked book $day\n@other note x\n@last final_answer $booked';

  test('gives its question to those that need its answer', async () => {
    const { executed, commands } = countedCommands(['book', 'note'], asks);
    const end = await runSop(script, commands, {});
    assert.deepEqual([end.status, end.answer, executed], ['waiting', undefined, ['note x']]);
    assert.deepEqual(end.questions, { day: 'Which day?' });
  });

  test('is forgotten by the steps after it, and by a new process', async () => {
    const { executed, commands } = countedCommands(['book', 'note'], asks);
    const { state } = await runSop(script, commands, {});
    const later = JSON.parse(JSON.stringify(state)) as SopEnd['state'];
    const end = await runSop(script, commands, { resumeFrom: later, answers: { day: 'Monday' } });
    assert.deepEqual([end.status, end.answer], ['done', 'book Monday']);
    assert.deepEqual(executed, ['note x', 'book Monday']);
  });

  test('lets a step happen whose guard is the answer', async () => {
    const { executed, commands } = countedCommands(['book', 'note'], asks);
    const guardScript = '@ok ask sure?\n@a book x when not $ok\n@b book $ok\n@c note y when not $b';
    const first = await runSop(guardScript, commands, {});
    assert.deepEqual([first.status, executed], ['waiting', []]);
    assert.deepEqual(statuses(first), { ok: 'undefined', a: 'undefined', b: 'undefined', c: 'undefined' });
    const second = await runSop(guardScript, commands, { resumeFrom: first.state, answers: { ok: 'yes' } });
    assert.deepEqual([second.status, executed], ['done', ['book yes']]);
  });

  test('holds up no one else, however many wait', async () => {
    const { commands } = countedCommands(['book'], asks);
    const two = '@day ask day?\n@hour ask hour?\n@both book $day $hour\n@last final_answer $both';
    const first = await runSop(two, commands, {});
    assert.deepEqual(first.questions, { day: 'day?', hour: 'hour?' });
    const second = await runSop(two, commands, { resumeFrom: first.state, answers: { hour: 'nine' } });
    assert.deepEqual([second.status, second.questions], ['waiting', { day: 'day?' }]);
    const third = await runSop(two, commands, { resumeFrom: second.state, answers: { day: 'Monday' } });
    assert.equal(third.answer, 'book Monday nine');
  });
});

describe('the end of a plan', () => {
  const nothing: SopCommand = { name: 'nothing', run: () => undefined };
  const fails: SopCommand = { name: 'fail', run: () => Promise.reject(new Error('broken')) };

  test('is success with the answer "undefined:waiting for a" when a step has no result', async () => {
    const end = await runSop('@a nothing\n@last final_answer $a', [nothing], {});
    assert.deepEqual([end.status, end.answer], ['failed', undefined]);
    assert.match(end.error?.message ?? '', /\ba\b/);
  });

  test('is a failure that asks for another plan after cannot_complete', async () => {
    const end = await runSop('@no cannot_complete "No printer."', [], {});
    assert.deepEqual([end.status, end.error?.code], ['cannot-complete', 'skill.no-result']);
  });

  test('is a failure when a branch fails that nothing needs', async () => {
    const end = await runSop('@extra fail\n@last final_answer fine', [fails], {});
    assert.deepEqual([end.status, end.answer, end.variables['extra']?.status], ['done', 'fine', 'fail']);
  });

  test('loses what final_answer is given after the first argument', async () => {
    const end = await runSop('@n assign 3\n@last final_answer "In all:" $n pieces', [], {});
    assert.equal(end.answer, 'In all: 3 pieces');
  });
});

describe('a step that is ready', () => {
  test('waits for a slow one that it has nothing to do with', async () => {
    const latch = Promise.withResolvers<string>();
    const slow: SopCommand = { name: 'slow', run: () => latch.promise };
    const { executed, commands } = countedCommands(['work'], slow);
    const run = runSop('@s slow\n@a work 1\n@b work $a\n@c work $b', commands, {});
    await until(() => executed.length === 3);
    latch.resolve('at last');
    assert.equal((await run).status, 'done');
  });
});

describe('a plan that is changed or too large', () => {
  test('is half changed when the new text is wrong', async () => {
    const { executed, commands } = countedCommands(['work']);
    const sop = createSop(commands, {});
    await sop.run('@a work 1\n@b work $a');
    const before = sop.variables;
    await assert.rejects(sop.updateCode('@a work 2\n@b work $c'), { code: 'usage.bad-input' });
    assert.deepEqual(sop.variables, before);
    const end = await sop.updateCode('@a work 1\n@b work $a\n@c work 3');
    assert.deepEqual([end.status, executed], ['done', ['work 1', 'work work 1', 'work 3']]);
  });

  test('is ready before the update that was asked for', async () => {
    const latch = Promise.withResolvers<string>();
    const slow: SopCommand = { name: 'slow', run: () => latch.promise };
    const sop = createSop([slow], {});
    const first = sop.run('@a slow');
    const second = sop.updateCode('@a slow\n@last final_answer $a now');
    latch.resolve('done');
    assert.equal((await settled(second)).answer, 'done now');
    assert.equal((await settled(first)).status, 'done');
  });

  test('leaves steps running when it has gone too far', async () => {
    let aborted = 0;
    const listens: SopCommand = {
      name: 'listen',
      run: ({ signal }) => hang(signal).catch(() => void (aborted += 1)),
    };
    const { commands } = countedCommands(['work'], listens);
    const script = '@s listen\n@a work 1\n@b work $a\n@c work $b';
    const end = await settled(runSop(script, commands, { limits: { commands: 3 } }));
    assert.deepEqual([end.status, end.error?.code, aborted], ['failed', 'limit.calls', 1]);
  });
});

describe('what a script may hold', () => {
  const { commands } = countedCommands([], { name: 'words', run: ({ arguments: args }) => args });
  const argumentsOf = async (script: string): Promise<unknown> => {
    const { variables } = await runSop(script, commands, {});
    const [first] = Object.values(variables);
    return first?.status === 'success' ? first.value : first;
  };

  test('no apostrophe, or the comment after it becomes words', async () => {
    assert.deepEqual(await argumentsOf("@a words don't worry # it's fine"), ["don't", 'worry']);
  });

  test('no hash in a word, or the rest of the line is lost', async () => {
    assert.deepEqual(await argumentsOf('@a words price#5 each C# end'), ['price#5', 'each', 'C#', 'end']);
  });

  test('no line with @ in a heredoc, or it becomes a step', async () => {
    const script = '@a words\n--begin-MAIL--\nDear all,\n@ann and @bob come.\n--end-MAIL--';
    assert.deepEqual(await argumentsOf(script), ['Dear all,\n@ann and @bob come.']);
  });
});

describe('a result that talks of stopping', () => {
  test('cancels its step', async () => {
    for (const text of ['Stop words removed', 'cancelled', 'abort', 'The order was canceled.']) {
      const says: SopCommand = { name: 'say', run: () => text };
      const state: SopCommand = { name: 'state', run: () => ({ status: 'canceled', canceled: true }) };
      const end = await runSop('@a say\n@b state\n@last final_answer $a', [says, state], {});
      assert.deepEqual([end.answer, statuses(end)], [text, { a: 'success', b: 'success', last: 'success' }]);
    }
  });
});

const hanging: SopCommand = { name: 'hang', run: ({ signal }) => hang(signal) };

function statuses({ variables }: SopEnd): object {
  return Object.fromEntries(Object.entries(variables).map(([name, { status }]) => [name, status]));
}
