import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { watchEvents } from '../../../../test/sop/watch-events.ts';
import { textOf } from '../../../../test/support/text-of.ts';
import { AgentError } from '../../../core/error.ts';
import type { Json } from '../../../core/json.ts';
import { cancelStep, failStep, type CommandCall, type SopCommand, type SopResult } from '../command.ts';
import type { SopEnd, SopOptions } from '../plan-run.ts';
import { runSop } from './run-sop.ts';

const commands: readonly SopCommand[] = [
  { name: 'echo', run: ({ input }) => input },
  { name: 'list', input: { type: 'array' }, run: ({ input }) => input },
  { name: 'fail', run: ({ input }) => Promise.reject(new Error(textOf(input))) },
  { name: 'nothing', run: () => undefined },
  { name: 'leave', run: ({ input }) => cancelStep(textOf(input)) },
  { name: 'record', run: () => ({ tags: ['x'], none: [], deep: { zero: 0 } }) },
];

describe('statuses travel', () => {
  test('a failure blocks what depends on it, and nothing else', async () => {
    const { variables } = await run('@a fail broken\n@b echo $a\n@c echo $b\n@d echo x');
    assert.deepEqual(variables, {
      a: { status: 'fail', error: { code: 'skill.failed', message: 'broken' }, origin: 'a' },
      b: { status: 'undefined', reason: 'depends on a, which failed: broken', origin: 'a' },
      c: { status: 'undefined', reason: 'depends on a, which failed: broken', origin: 'a' },
      d: { status: 'success', value: 'x' },
    });
  });

  test('a cancel travels as a cancel', async () => {
    const { variables } = await run('@a leave "not wanted"\n@b echo $a\n@c echo $b');
    const canceled = { status: 'canceled', reason: 'not wanted', origin: 'a' };
    assert.deepEqual(variables, { a: canceled, b: canceled, c: canceled });
  });

  test('no result blocks what depends on it', async () => {
    const { variables } = await run('@a nothing\n@b echo $a\n@c echo $b');
    const blocked = {
      status: 'undefined',
      reason: 'depends on a: the command returned no result',
      origin: 'a',
    };
    assert.deepEqual(variables, {
      a: { status: 'undefined', reason: 'the command returned no result', origin: 'a' },
      b: blocked,
      c: blocked,
    });
  });

  test('of several needs, what is worse than a cancel decides, and the first one is the origin', async () => {
    const { variables } = await run('@a leave no\n@b fail bad\n@c echo $a $b\n@d echo $b $a\n@e echo $a $a');
    assert.deepEqual(
      [shown(variables['c']), shown(variables['d']), shown(variables['e'])],
      ['undefined a', 'undefined b', 'canceled a'],
    );
  });
});

describe('what a command comes to', () => {
  const results: readonly (readonly [string, () => unknown, string, RegExp])[] = [
    ['a function', () => () => 1, 'skill.failed', /^"odd" returned a function, /],
    ['a number that is none', () => NaN, 'skill.failed', /^"odd" returned NaN, /],
    ['a value that contains itself', circle, 'skill.failed', /contains itself/],
    ['an error', thrower(new Error('broken')), 'skill.failed', /^broken$/],
    ['an empty error', thrower(new Error('')), 'skill.failed', /^it threw an error without a message$/],
    [
      'an error with a code',
      thrower(new AgentError('policy.denied', 'Not here.')),
      'policy.denied',
      /^Not here/,
    ],
    ['a verdict', () => failStep({ code: 'model.busy', message: 'Later.' }), 'model.busy', /^Later/],
  ];
  for (const [what, result, code, message] of results) {
    test(`${what} is a failure`, async () => {
      const odd = { name: 'odd', run: result as () => SopResult };
      const { variables } = await runSop('@a odd', [odd]);
      const value = variables['a'];
      assert.ok(value?.status === 'fail');
      assert.equal(value.error.code, code);
      assert.match(value.error.message, message);
    });
  }

  test('a value is a copy that no other command can change', async () => {
    const own = { list: [1] };
    const give = { name: 'give', run: () => own };
    const spoil: SopCommand = {
      name: 'spoil',
      run: ({ input }) => {
        (input as { list: number[] }).list.push(2);
        return 'spoiled';
      },
    };
    const { variables } = await runSop('@a give\n@b spoil $a', [give, spoil]);
    own.list.push(3);
    assert.deepEqual(variables['a'], { status: 'success', value: { list: [1] } });
    assert.equal(variables['b']?.status, 'fail');
  });

  test('it is told what it is called for', async () => {
    const calls: CommandCall[] = [];
    const note: SopCommand = { name: 'note', run: (call) => void calls.push(call) };
    await runSop('# first\n@a note one two\n@b.1 each $l note\n@l list x', [...commands, note]);
    assert.deepEqual(
      calls.map(({ signal: _signal, waits: _waits, ...call }) => call),
      [
        {
          command: 'note',
          variable: 'a',
          input: 'one two',
          arguments: ['one', 'two'],
          line: 2,
          comment: 'first',
          key: 'p1:a',
        },
        {
          command: 'note',
          variable: 'b.1',
          index: 0,
          input: 'x',
          arguments: ['x'],
          line: 3,
          key: 'p1[0]:b.1',
        },
      ],
    );
  });
});

describe('references and input', () => {
  test('a whole value stays what it is, and a way leads into it', async () => {
    const { variables } = await run('@r record\n@all echo $r.tags\n@one echo $r.tags.0');
    assert.deepEqual([valueOf(variables['all']), valueOf(variables['one'])], [['x'], 'x']);
  });

  test('a way that leads nowhere fails the step before its command runs', async () => {
    const end = await run('@r record\n@a echo $r.missing\n@b echo $a');
    assert.equal(end.counts.commands, 1);
    const value = end.variables['a'];
    assert.ok(value?.status === 'fail');
    assert.equal(value.error.code, 'usage.bad-input');
    assert.equal(shown(end.variables['b']), 'undefined a');
  });

  test('the input is there, unless the script declares its own', async () => {
    assert.equal((await run('@a echo $input.name', { input: { name: 'Ann' } })).answer, 'Ann');
    assert.deepEqual((await run('@input echo mine\n@result echo $input', { input: 'yours' })).answer, 'mine');
  });
});

describe('guards', () => {
  const empty = ['""', '"  "', 'false', 'FALSE', '0'];
  for (const value of empty) {
    test(`${value} is nothing`, async () => {
      const { variables } = await run(`@x echo ${value}\n@a echo y when $x\n@b echo y when not $x`);
      assert.deepEqual(variables['a'], { status: 'canceled', reason: '$x is empty', origin: 'a' });
      assert.equal(variables['b']?.status, 'success');
    });
  }

  test('so are members that are not there, lists without items and zero', async () => {
    for (const path of ['r.missing', 'r.none', 'r.deep.zero', 'r.tags.0.deeper']) {
      const { variables } = await run(`@r record\n@a echo y when $${path}`);
      assert.equal(variables['a']?.status, 'canceled', path);
    }
  });

  test('and whatever did not succeed, which does not block the step', async () => {
    for (const command of ['fail no', 'nothing', 'leave no']) {
      const { variables } = await run(`@x ${command}\n@a echo y when $x\n@b echo y when not $x`);
      assert.deepEqual([variables['a']?.status, variables['b']?.status], ['canceled', 'success'], command);
    }
  });

  test('a value that is there skips what is for its absence, and says so', async () => {
    const { variables } = await run('@r record\n@a echo y when not $r.tags');
    assert.deepEqual(variables['a'], {
      status: 'canceled',
      reason: '$r.tags is not empty',
      origin: 'a',
    });
  });

  test('the input can guard', async () => {
    const { variables } = await run('@a echo y when $input.x\n@b echo y when not $input.x', {
      input: { x: [] },
    });
    assert.deepEqual([variables['a']?.status, variables['b']?.status], ['canceled', 'success']);
  });

  test('a guard that also gives a value has to succeed', async () => {
    const { variables } = await run('@x fail no\n@a echo $x when not $x');
    assert.equal(shown(variables['a']), 'undefined x');
  });

  test('a skipped step does not wait for what else it needs', async () => {
    const watch = watchEvents();
    const latch = Promise.withResolvers<string>();
    const slow: SopCommand = { name: 'slow', run: () => latch.promise };
    const script = '@x echo 0\n@s slow\n@a echo $s when $x\n@b echo y when not $a';
    const end = runSop(script, [...commands, slow], watch);
    await watch.until('b ended success');
    latch.resolve('late');
    await end;
    assert.ok(watch.texts.indexOf('a ended canceled') < watch.texts.indexOf('s ended success'));
  });

  test('one that lets the step happen still has it wait for its values', async () => {
    const { variables } = await run('@x echo 1\n@s echo late\n@a echo $s when $x');
    assert.equal(valueOf(variables['a']), 'late');
  });
});

describe('each', () => {
  test('gives the list of results, in the order of the items', async () => {
    const { variables } = await run('@l list a b c\n@all each $l echo $index $item');
    assert.deepEqual(valueOf(variables['all']), ['0 a', '1 b', '2 c']);
  });

  test('of nothing is an empty list', async () => {
    const end = await run('@r record\n@all each $r.none fail');
    assert.deepEqual([valueOf(end.variables['all']), end.counts.commands], [[], 1]);
  });

  test('of something else fails', async () => {
    for (const [path, message] of [
      ['r.deep', /\$r\.deep, which is not a list/],
      ['r.missing', /\$r\.missing does not exist/],
    ] as const) {
      const value = (await run(`@r record\n@all each $${path} echo`)).variables['all'];
      assert.ok(value?.status === 'fail' && value.error.code === 'usage.bad-input');
      assert.match(value.error.message, message);
    }
  });

  const byItem: SopCommand = {
    name: 'by-item',
    run: ({ input }) => {
      if (input === 'bad') throw new Error('broken');
      if (input === 'none') return undefined;
      return input === 'skip' ? cancelStep('left out') : input;
    },
  };

  test('runs all items to their end and fails with the first failure', async () => {
    const script = '@l list a bad none bad b\n@all each $l by-item';
    const end = await runSop(script, [...commands, byItem]);
    assert.deepEqual(end.variables['all'], {
      status: 'fail',
      error: { code: 'skill.failed', message: 'item 1: broken' },
      origin: 'all',
    });
    assert.equal(end.counts.commands, 6);
  });

  test('has no result when an item does, and has null for one that is canceled', async () => {
    const nothing = await runSop('@l list a none skip\n@all each $l by-item', [...commands, byItem]);
    assert.equal(shown(nothing.variables['all']), 'undefined all');
    const some = await runSop('@l list a skip b\n@all each $l by-item', [...commands, byItem]);
    assert.deepEqual(valueOf(some.variables['all']), ['a', null, 'b']);
  });

  test('is blocked by its list, and skipped by its guard', async () => {
    const { variables } = await run('@l fail no\n@a each $l echo\n@b each $m echo when $l\n@m list x');
    assert.deepEqual([shown(variables['a']), shown(variables['b'])], ['undefined l', 'canceled b']);
  });
});

describe('the end', () => {
  const endings: readonly (readonly [string, string, SopEnd['status'], Json | undefined, string?])[] = [
    ['an answer', '@a echo 1\n@b final_answer $a', 'done', '1'],
    [
      'the last of several that succeeded',
      '@a final_answer 1\n@b final_answer 2\n@c final_answer $d\n@d fail no',
      'done',
      '2',
    ],
    ['all answers left out', '@x echo 0\n@a final_answer 1 when $x', 'done', undefined],
    [
      'an answer left out, and one that failed',
      '@x echo 0\n@d fail no\n@a final_answer 1 when $x\n@b final_answer $d',
      'failed',
      undefined,
      'no',
    ],
    [
      'an answer that waits for a failure',
      '@d fail no\n@e echo $d\n@b final_answer $e',
      'failed',
      undefined,
      'no',
    ],
    [
      'an answer that waits for nothing',
      '@d nothing\n@b final_answer $d',
      'failed',
      undefined,
      '@d has no result: the command returned no result.',
    ],
    ['a failing branch that nobody needs', '@d fail no\n@e echo $d\n@b final_answer yes', 'done', 'yes'],
    ['a variable that stands for it', '@d fail no\n@result echo yes\n@domain echo other', 'done', 'yes'],
    ['the first of those that succeeded', '@result fail no\n@domain echo other', 'done', 'other'],
    ['one of those that failed', '@a echo 1\n@answer fail no', 'failed', undefined, 'no'],
    ['one of those left out', '@x echo 0\n@answer echo 1 when $x', 'done', undefined],
    ['the only variable', '@a echo 1', 'done', '1'],
    ['no answer at all', '@a echo 1\n@b echo 2', 'done', undefined],
    ['no answer and a failure', '@a echo 1\n@b fail no', 'failed', undefined, 'no'],
  ];
  for (const [what, script, status, answer, message] of endings) {
    test(what, async () => {
      const end = await run(script);
      assert.deepEqual([end.status, end.answer, end.error?.message], [status, answer, message]);
    });
  }

  test('a value that is null, false or empty is an answer', async () => {
    for (const value of [null, false, '', 0]) {
      const give: SopCommand = { name: 'give', run: () => value };
      const end = await runSop('@a give\n@b final_answer $a', [give]);
      assert.deepEqual([end.status, end.answer], ['done', value]);
    }
  });

  test('cannot_complete ends it at once, and aborts what runs', async () => {
    const watch = watchEvents();
    const held = heldCommand();
    const script = '@h held\n@no cannot_complete "no printer"\n@later echo $no\n@b final_answer $h';
    const end = await runSop(script, [...commands, held.command], watch);
    assert.deepEqual(
      [end.status, end.error, end.answer],
      ['cannot-complete', { code: 'skill.no-result', message: 'no printer' }, undefined],
    );
    assert.deepEqual(Object.values(end.variables).map(shown), Array(4).fill('canceled no'));
    assert.equal(held.signals[0]?.aborted, true);
  });
});

describe('names that objects have of their own', () => {
  test('are names like any other', async () => {
    const end = await run('@__proto__ echo 1\n@constructor echo $__proto__\n@toString echo $constructor');
    assert.deepEqual(Object.keys(end.variables), ['__proto__', 'constructor', 'toString']);
    assert.equal(valueOf(end.variables['toString']), '1');
  });
});

test('ten thousand steps in a chain, the last one first', { timeout: 60_000 }, async () => {
  const count = 10_000;
  const lines = Array.from({ length: count }, (_, index) =>
    index === 0 ? '@s0 echo x' : `@s${index} echo $s${index - 1}`,
  );
  const end = await run(lines.toReversed().join('\n'), { limits: { commands: count } });
  assert.equal(valueOf(end.variables[`s${count - 1}`]), 'x');
  const blocked = await run(lines.toReversed().join('\n').replace('echo x', 'fail x'));
  assert.equal(shown(blocked.variables[`s${count - 1}`]), 'undefined s0');
});

function run(script: string, options: SopOptions = {}): Promise<SopEnd> {
  return runSop(script, commands, options);
}

function valueOf(value: SopEnd['variables'][string] | undefined): Json | undefined {
  return value?.status === 'success' ? value.value : undefined;
}

function shown(value: SopEnd['variables'][string] | undefined): string {
  if (value === undefined) return 'missing';
  return value.status === 'success' ? 'success' : `${value.status} ${value.origin}`;
}

function thrower(error: Error): () => never {
  return () => {
    throw error;
  };
}

function circle(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

/** Creates a command that runs until it is aborted, and records its signals. */
function heldCommand(): { readonly command: SopCommand; readonly signals: readonly AbortSignal[] } {
  const signals: AbortSignal[] = [];
  const command: SopCommand = {
    name: 'held',
    run: ({ signal }) =>
      new Promise((_resolve, reject) => {
        signals.push(signal);
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  };
  return { command, signals };
}
