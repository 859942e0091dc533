import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  asked,
  at,
  begin,
  called,
  done,
  ended,
  failed,
  log,
  modelEnded,
  modelStarted,
  refused,
  resumed,
  runStarted,
  stepEnded,
  stepStarted,
  type LogEntry,
} from '../../test/support/events.ts';
import { foldRun } from './run-tree.ts';
import { lineText, treeLines, type TreeOptions } from './text-tree.ts';

const rich = [
  runStarted('daily', { input: { day: 'monday' } }),
  at(0, called('f1', '', 'daily', { input: { day: 'monday' } })),
  at(100, modelStarted('f1', 'm1')),
  at(1_300, modelEnded('f1', 'm1', { inputTokens: 1_200, outputTokens: 110, cost: 0.03 })),
  ...reads(5, 1_400),
  at(2_000, called('s', 'f1', 'summary', { input: 'long\n\ttext '.repeat(20) })),
  at(2_100, modelStarted('s', 'm1', 'local/free')),
  at(14_000, modelEnded('s', 'm1', { inputTokens: 900, outputTokens: 100 })),
  at(14_100, called('n', 's', 'sum', { leaf: true, input: [1, 2] })),
  at(14_200, ended('n', done('3'))),
  at(14_300, ended('s')),
  at(15_000, called('t', 'f1', 'translate', { input: {} })),
  at(16_000, ended('t', failed('There is no\nlanguage "xx".'))),
  at(16_100, refused('f1', 'deploy', '"daily" may not call "deploy".')),
  at(16_200, called('w', 'f1', 'notes')),
  at(16_300, called('g', 'w', 'fetch', { leaf: true, input: { url: 'https://example.org' } })),
  at(16_400, stepStarted('g', 'get')),
  at(16_500, called('a', 'f1', 'ask')),
  at(16_600, asked('a', 'q', 'Which\nfolder?')),
];

test('a run of everything', () => {
  assert.deepEqual(textOf(rich, { now: 20_000 }), [
    '… daily {"day":"monday"}  2,310 tok  $0.03',
    '├ ✓ read ×5 (1 failed)  0.4 s',
    '├ ✓ summary "long\\n\\ttext long\\n\\ttext long\\n\\ttext long\\n\\ttext long\\n…  12 s  1,000 tok',
    '│ └ ✓ sum [1,2]  0.1 s',
    '├ ✗ translate skill.failed: There is no language "xx".  1.0 s',
    '├ ⊘ deploy policy.denied: "daily" may not call "deploy".',
    '├ … notes',
    '│ └ … fetch {"url":"https://example.org"}  3.7 s',
    '│   └ … step get',
    '└ ⏸ ask asks: Which folder?',
  ]);
});

test('own costs, and details that give way to the width', () => {
  assert.deepEqual(textOf(rich, { now: 20_000, costs: 'own', width: 40 }), [
    '… daily {"day":"monda…  1,310 tok  $0.03',
    '├ ✓ read ×5 (1 failed)  0.4 s',
    '├ ✓ summary "long\\n\\tt…  12 s  1,000 tok',
    '│ └ ✓ sum [1,2]  0.1 s',
    '├ ✗ translate skill.failed: Ther…  1.0 s',
    '├ ⊘ deploy policy.denied: "daily" may n…',
    '├ … notes',
    '│ └ … fetch {"url":"https://exam…  3.7 s',
    '│   └ … step get',
    '└ ⏸ ask asks: Which folder?',
  ]);
});

describe('repeated calls', () => {
  const cases: readonly {
    readonly name: string;
    readonly entries: readonly LogEntry[];
    readonly lines: readonly string[];
  }[] = [
    {
      name: 'three stand alone',
      entries: reads(3, 0),
      lines: ['✓ read', '✗ read skill.failed: No.', '✓ read'],
    },
    {
      name: 'one that runs is not folded',
      entries: [...reads(4, 0), called('open', 'f1', 'read', { leaf: true })],
      lines: ['✓ read ×4 (1 failed)', '… read'],
    },
    {
      name: 'another skill between them ends the row',
      entries: [...reads(2, 0), called('o', 'f1', 'other'), ended('o'), ...reads(2, 500, 'later')],
      lines: ['✓ read', '✗ read skill.failed: No.', '✓ other', '✓ read', '✗ read skill.failed: No.'],
    },
    {
      name: 'one that was refused something stands alone',
      entries: [...reads(4, 0), refused('r0', 'deploy', 'No.')],
      lines: ['✓ read', '⊘ deploy policy.denied: No.', '✗ read skill.failed: No.', '✓ read', '✓ read'],
    },
    {
      name: 'refusals of one skill for one cause',
      entries: [
        ...Array.from({ length: 4 }, () => refused('f1', 'deploy', 'No.')),
        refused('f1', 'deploy', '8.', 'limit.depth'),
      ],
      lines: ['⊘ deploy ×4 policy.denied: No.', '⊘ deploy limit.depth: 8.'],
    },
    {
      name: 'all failed',
      entries: [0, 1, 2, 3].flatMap((index) => [
        called(`x${index}`, 'f1', 'read', { leaf: true }),
        ended(`x${index}`, failed('No.')),
      ]),
      lines: ['✗ read ×4 (4 failed)'],
    },
  ];
  for (const { name, entries, lines } of cases) {
    test(name, () => {
      const shown = treeLines(foldRun(log(...begin('daily'), ...entries)), { now: 0 });
      const texts = shown.map((line) => lineText({ ...line, branch: '', facts: [] }));
      assert.deepEqual(texts.slice(1), lines);
    });
  }
});

test('only what works itself is busy, and only that has a clock', () => {
  const lines = treeLines(foldRun(log(...rich)), { now: 20_000 });
  assert.deepEqual(
    lines.filter(({ busy }) => busy).map(({ name }) => name),
    ['fetch'],
  );
});

test('no part of a line holds a line end', () => {
  const [line] = treeLines(foldRun(log(called('f1', '', 'a\r\n\u2028\u0085b', { input: 'x\u2028y' }))), {
    now: 0,
  });
  assert.deepEqual([line?.name, line?.detail], ['a b', '"x y"']);
});

test('a frame that was cut off says so', () => {
  const entries: LogEntry[] = [
    ...begin('daily'),
    { type: 'run.ended', status: 'cancelled', output: failed('x') },
  ];
  assert.deepEqual(textOf(entries, { now: 0 }), ['✗ daily interrupted  0.1 s']);
});

test('notes, artifacts, failed steps and running steps are between the calls, in order', () => {
  const error = { code: 'skill.failed', message: 'No\nmoney.' } as const;
  const content = { name: 'snippet.js', mediaType: 'text/javascript', text: 'x'.repeat(1_200), digest: 'd' };
  const artifact: LogEntry = { type: 'artifact.created', key: 'a', frameId: 'f1', ...content };
  const entries: LogEntry[] = [
    ...begin('shop'),
    { type: 'note.added', key: 'n', frameId: 'f1', message: 'looking\naround' },
    artifact,
    ...reads(4, 400),
    stepStarted('f1', 'step:pay'),
    { type: 'step.ended', frameId: 'f1', key: 'step:pay', error },
    stepStarted('f1', 'step:fine'),
    stepEnded('f1', 'step:fine'),
    stepStarted('f1', 'step:wrap'),
  ];
  const lines = [
    '… shop  0.9 s',
    '├ · looking around',
    '├ + snippet.js  1,200 characters',
    '├ ✓ read ×4 (1 failed)  0.3 s',
    '├ ✗ step pay: No money.',
    '└ … step wrap',
  ];
  assert.deepEqual(textOf(entries, { now: 1_000 }), lines);
  assert.deepEqual(textOf(entries, { now: 1_000, isInterrupted: true }), [
    '! shop  0.9 s',
    ...lines.slice(1, -1),
    '└ ! step wrap',
  ]);
});

test('the suffix that distinguishes a step is not shown', () => {
  for (const key of ['step:check:af99b9976a5f9ad5', 'step:check']) {
    const entries: LogEntry[] = [...begin('shop'), stepStarted('f1', key)];
    assert.deepEqual(textOf(entries, { now: 1_000 }).slice(1), ['└ … step check']);
  }
});

test('an approval says once who wants to call what', () => {
  const asks = { skill: 'order', input: { who: 'bob' }, reason: 'It spends money.', rule: 'order' };
  const request = { type: 'approval.requested', key: 'c', request: 'h', id: 'a1' } as const;
  const entries: LogEntry[] = [
    ...begin('shop'),
    { ...request, frameId: 'f1', asks: { ...asks, caller: 'shop' } },
  ];
  assert.deepEqual(textOf(entries, { now: 0 }), [
    '⏸ shop: may it call order {"who":"bob"}? It spends money.',
  ]);
  assert.deepEqual(textOf([runStarted('order'), { ...request, frameId: '', asks }], { now: 0 }), [
    '⏸ order: may it run {"who":"bob"}? It spends money.',
  ]);
});

test('what was reused is marked, and has no time of its own', () => {
  const entries: LogEntry[] = [
    runStarted('daily', { rerunOf: 'r0' }),
    ...[called('f2', 'f1', 'notes'), ended('f2'), resumed, called('f1', '', 'daily'), ended('f1')],
  ];
  assert.deepEqual(textOf(entries, { now: 0 }), ['✓ daily  0.1 s', '└ ↺ notes']);
});

function textOf(entries: readonly LogEntry[], options: TreeOptions): readonly string[] {
  return treeLines(foldRun(log(...entries)), options).map(lineText);
}

/** Returns calls of one skill in frame f1. The second call failed. */
function reads(count: number, from: number, name = 'r'): readonly LogEntry[] {
  return Array.from({ length: count }).flatMap((_, index) => [
    at(from + index * 80, called(`${name}${index}`, 'f1', 'read', { leaf: true })),
    at(from + index * 80 + 80, ended(`${name}${index}`, index === 1 ? failed('No.') : done())),
  ]);
}

const started = { type: 'prepare.started', frameId: 'f1', run: 'p_1' } as const;
const over = { type: 'prepare.ended', frameId: 'f1', run: 'p_1' } as const;

function shown(...entries: readonly LogEntry[]): readonly string[] {
  const tree = foldRun(log(...begin('daily'), ...entries));
  return treeLines(tree, { now: 90_000 }).map(lineText);
}

describe('the run that prepares a skill', () => {
  test('is named while it is waited for', () => {
    assert.equal(shown(at(100, started)).at(-1), '└ … being prepared by p_1');
  });

  test('is named afterwards where it took its time', () => {
    const lines = shown(at(100, started), at(12_100, over), at(12_200, ended('f1')));
    assert.equal(lines.at(-1), '└ · prepared by p_1  12 s');
    assert.equal(shown(at(100, started), at(200, over), at(300, ended('f1'))).length, 1);
  });

  test('is named where it failed, however long it took', () => {
    const error = { code: 'skill.failed', message: 'No.' } as const;
    assert.equal(shown(at(100, started), at(101, { ...over, error })).at(-1), '└ ✗ preparation failed: p_1');
  });
});
