import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkSop } from '../../src/engines/sop/check/check-sop.ts';
import type { SopCommand } from '../../src/engines/sop/command.ts';
import { createSop, runSop } from '../../src/engines/sop/execute/run-sop.ts';
import type { SopEnd, SopOptions } from '../../src/engines/sop/plan-run.ts';
import { countedCommands } from '../support/counted-commands.ts';
import { settled } from '../support/kernel.ts';
import { exampleCommands } from '../support/sop-commands.ts';
import { publicForm } from './peer-host.ts';

// Intended differences from the language that SOP is based on.

test('a step starts when its inputs are ready, not level by level', async () => {
  const latch = Promise.withResolvers<string>();
  const held: SopCommand = { name: 'held', run: () => latch.promise };
  const release: SopCommand = {
    name: 'release',
    run: () => {
      latch.resolve('let go');
      return 'released';
    },
  };
  const script = '@first held\n@quick upper a\n@second release $quick';
  const end = await settled(runSop(script, [...exampleCommands, held, release], {}));
  assert.deepEqual(valuesOf(end), { first: 'let go', quick: 'A', second: 'released' });
});

describe('a succeeded step with unchanged inputs never runs again', () => {
  const script = '@charge pay 20\n@mail send $charge\n@last final_answer $mail';

  test('in a new plan', async () => {
    const { executed, commands } = countedCommands(['pay', 'send', 'print']);
    const sop = createSop(commands, {});
    await sop.run(script);
    await sop.run(`${script}\n@paper print $mail`);
    assert.deepEqual(executed, ['pay 20', 'send pay 20', 'print send pay 20']);
  });

  test('in an update, under another name too', async () => {
    const { executed, commands } = countedCommands(['pay', 'send']);
    const sop = createSop(commands, {});
    await sop.run(script);
    const end = await sop.updateCode(script.replaceAll('charge', 'payment'));
    assert.deepEqual([executed, end.answer], [['pay 20', 'send pay 20'], 'send pay 20']);
  });

  test('when a run is resumed elsewhere', async () => {
    const { executed, commands } = countedCommands(['pay', 'send']);
    const { state } = await runSop(script, commands, {});
    const resumeFrom = JSON.parse(JSON.stringify(state)) as SopEnd['state'];
    const end = await runSop(script, commands, { resumeFrom });
    assert.deepEqual([executed, end.answer], [['pay 20', 'send pay 20'], 'send pay 20']);
  });

  test('while a second one that was meant does run', async () => {
    const { executed, commands } = countedCommands(['pay']);
    const sop = createSop(commands, {});
    await sop.run('@one pay 20\n@two pay 20');
    await sop.run('@one pay 20\n@two pay 20\n@three pay 20');
    assert.deepEqual(executed, ['pay 20', 'pay 20', 'pay 20']);
  });
});

describe('what breaks lexing there is text here', () => {
  test('a hash inside a word, and an apostrophe', async () => {
    const script = `@a list don't price#5 it's # a comment, isn't it`;
    assert.deepEqual(valuesOf(await run(script)), { a: ["don't", 'price#5', "it's"] });
  });

  test('a line with @ in a heredoc', async () => {
    const script = '@a assign --begin-T--\n@b fail this never runs\n--end-T--\n@c upper $a';
    assert.deepEqual(valuesOf(await run(script)), {
      a: '@b fail this never runs',
      c: '@B FAIL THIS NEVER RUNS',
    });
  });
});

test('a step that waits suspends its dependents and the run, and nothing else', async () => {
  const script = '@day ask "Which day?"\n@booked upper $day\n@other upper x';
  const waiting = await run(script);
  assert.equal(waiting.status, 'waiting');
  assert.deepEqual(waiting.variables['day'], {
    status: 'undefined',
    reason: waiting.variables['day']?.status === 'undefined' ? waiting.variables['day'].reason : '',
    origin: 'day',
    question: 'Which day?',
  });
  assert.deepEqual(
    [waiting.variables['booked']?.status, publicForm('other', waiting.variables['other'])],
    ['undefined', 'X'],
  );
  const end = await run(script, { resumeFrom: waiting.state, answers: { day: 'Monday' } });
  assert.deepEqual([end.status, valuesOf(end)], ['done', { day: 'Monday', booked: 'MONDAY', other: 'X' }]);
});

describe('the end of a plan', () => {
  test('final_answer joins its arguments', async () => {
    const end = await run('@n add 1 2\n@last final_answer "The sum:" $n kg');
    assert.deepEqual([end.status, end.answer], ['done', 'The sum: 3 kg']);
  });

  test('cannot_complete ends it at once', async () => {
    const { executed, commands } = countedCommands(['work']);
    const script = '@no cannot_complete "There is no printer."\n@a work $no\n@last final_answer $a';
    const end = await runSop(script, commands, {});
    assert.deepEqual([end.status, end.error?.code, executed], ['cannot-complete', 'skill.no-result', []]);
    assert.match(end.error?.message ?? '', /There is no printer\./);
  });

  test('a failing branch that nothing needs does not fail it', async () => {
    const end = await run('@extra fail broken\n@more upper $extra\n@a upper x\n@last final_answer $a');
    assert.deepEqual([end.status, end.answer, end.error], ['done', 'X', undefined]);
  });
});

describe('what there is only here', () => {
  test('$a.b reaches into a value', async () => {
    const end = await run('@o order 7\n@city upper $o.customer.city\n@part upper $o.parts.1');
    assert.deepEqual(
      [publicForm('city', end.variables['city']), publicForm('part', end.variables['part'])],
      ['BERN', 'BELL'],
    );
  });

  test('unless there is a variable of that name', async () => {
    const end = await run('@o order 7\n@o.id assign mine\n@result upper $o.id');
    assert.equal(end.answer, 'MINE');
  });

  test('key=value is a named argument of a command that declares it, and a word of any other', async () => {
    const end = await run('@n add second=3 1\n@words list second=3 1');
    assert.deepEqual(valuesOf(end), { n: 4, words: ['second=3', '1'] });
  });

  test('when skips a step', async () => {
    const end = await run(
      '@o order 7\n@a upper noted when $o.notes\n@b upper bare when not $o.notes\n@c upper $a',
    );
    const statuses = ['a', 'b', 'c'].map((name) => end.variables[name]?.status);
    assert.deepEqual([end.status, statuses], ['done', ['canceled', 'success', 'canceled']]);
  });

  test('each runs a command for every item', async () => {
    const end = await run('@o order 7\n@all each $o.parts upper\n@some each $o.parts upper $index $item !');
    assert.deepEqual(
      [publicForm('all', end.variables['all']), publicForm('some', end.variables['some'])],
      [
        ['CHAIN', 'BELL'],
        ['0 CHAIN !', '1 BELL !'],
      ],
    );
  });
});

test('all errors are found at once, with line and column', () => {
  const script =
    '@a uper x\n@b add 1\n@b upper $nothing\n@c upper "open\n  @ upper\n@d upper $e\n@e upper $d';
  const found = checkSop(script, exampleCommands).issues.map(
    ({ line, column, code }) => `${line}:${column} ${code}`,
  );
  for (const expected of [
    '1:4 sop.unknown-command',
    '3:1 sop.duplicate',
    '3:10 sop.undefined',
    '4:10 sop.open-string',
    '5:3 sop.no-name',
  ]) {
    assert.ok(found.includes(expected), `${expected} in ${found.join(', ')}`);
  }
  for (const code of ['sop.missing-argument', 'sop.cycle']) {
    assert.ok(
      found.some((one) => one.endsWith(code)),
      `${code} in ${found.join(', ')}`,
    );
  }
});

function run(script: string, options: SopOptions = {}): Promise<SopEnd> {
  return runSop(script, exampleCommands, options);
}

function valuesOf({ variables }: SopEnd): object {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, publicForm(name, value)]),
  );
}
