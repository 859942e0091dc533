import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call, documentOf, leaveHome, skillsIn } from '../../../test/support/command.ts';
import { flowFamily, flowText } from '../../../test/support/kernel.ts';
import { knowFamily } from '../../../test/support/know-family.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { GeneratedCode } from '../../core/family.ts';
import { generatedCodeLines, markOf } from './generated-code.ts';

leaveHome();

const digest = `sha256:${'3f2a9c1b7d31e844'.repeat(4)}`;
const generated: GeneratedCode = {
  status: 'failed',
  files: [
    { path: 'src/index.ts', from: 'specs/index.ts.md', status: 'current', digest },
    { path: 'src/a.ts', from: 'specs/a.md', status: 'due' },
    { path: 'src/own\u001b[2J.ts', status: 'own', digest },
  ],
  issues: [{ level: 'error', code: 'generation.failed', message: 'No code.', hint: 'Build it.' }],
};

const states = ['failed', 'drifted', 'due', 'missing', 'current', 'own'] as const;

/** Creates one skill in each state. */
function flows(): Tree {
  return tree({
    '.git/HEAD': '',
    ...Object.fromEntries(states.map((state) => [`skills/${state}/FLOW.md`, flowText(state, state)])),
  });
}

function knowFlows(): Disposable {
  const runsCode = (body: string): boolean => body === 'due' || body === 'missing';
  const inspect = (body: string): GeneratedCode => ({
    ...generated,
    status: states.find((state) => state === body) ?? 'own',
  });
  return knowFamily(flowFamily({ permission: { runsCode }, generation: { inspect } }));
}

test('the state of code in lines', () => {
  assert.deepEqual(generatedCodeLines(generated), [
    'Code: generation failed',
    '  src/index.ts  from specs/index.ts.md  up to date       3f2a9c1b7d31',
    '  src/a.ts      from specs/a.md         to be generated',
    '  src/own.ts                            written by hand  3f2a9c1b7d31',
    '  error: No code. Build it.',
  ]);
  const own: GeneratedCode = { status: 'own', files: [{ path: 'src/index.ts', status: 'own' }], issues: [] };
  assert.deepEqual(generatedCodeLines(own), ['Code: written by hand', '  src/index.ts  written by hand']);
  assert.equal(markOf(own), undefined);
  assert.equal(markOf(undefined), undefined);
});

test('what is due is said once for each file, with one next step', () => {
  const due = (path: string, at: string) => ({ path, from: 'specs/a.md', status: 'due', at }) as const;
  const files = [due('src/a.ts', '/x/src/a.ts'), due('src/b.ts', '/x/src/b.ts')];
  const infos = files.map(
    ({ at }) =>
      ({ level: 'info', code: 'generation.due', message: 'Due.', file: at, hint: 'Build it.' }) as const,
  );
  const issues = (lines: readonly string[]): readonly string[] => lines.slice(1 + files.length);
  assert.deepEqual(issues(generatedCodeLines({ status: 'due', files, issues: infos })), ['  Build it.']);
  const gone = {
    level: 'info',
    code: 'generation.due',
    message: 'c.ts is to go.',
    file: '/x/src/c.ts',
  } as const;
  const reported = issues(generatedCodeLines({ status: 'due', files, issues: [...infos, gone] }));
  assert.deepEqual(reported, ['  /x/src/c.ts: info: c.ts is to go.']);
});

describe('the state of code', () => {
  test('is a mark in the list where something is to be done', async () => {
    using files = flows();
    using _family = knowFlows();
    const { out } = await call(['list', '--cwd', files.path]);
    const shown = (name: string): string => out.split('\n').find((line) => line.startsWith(`${name} `)) ?? '';
    assert.match(shown('failed'), /^failed +flow +project +generation failed +A flow\.$/);
    assert.match(shown('drifted'), / edited by hand /);
    assert.match(shown('due'), / needs trust /, 'trust goes before what it is asked for');
    assert.match(shown('missing'), / no code /, 'trust would not help');
    assert.match(shown('current'), / ready /);
    assert.match(shown('own'), / ready /);
    const listed = skillsIn(await call(['list', '--json', '--cwd', files.path]));
    for (const skill of listed) {
      const isFlow = states.some((state) => state === skill.name);
      assert.deepEqual((skill as { made?: unknown }).made, isFlow ? { status: skill.name } : undefined);
    }
  });

  test('is reported by show file by file, also as JSON', async () => {
    using files = flows();
    using _family = knowFlows();
    const { out } = await call(['show', 'drifted', '--cwd', files.path]);
    assert.match(
      out,
      /\n\nCode: edited by hand\n {2}src\/index\.ts {2}from .*\n[^]* {2}error: No code\. Build it\.\n$/,
    );
    const { skill } = documentOf(await call(['show', 'due', '--json', '--cwd', files.path])) as {
      skill: { made: GeneratedCode };
    };
    assert.equal(skill.made.status, 'due');
    assert.deepEqual(skill.made.files, generated.files);
    assert.deepEqual(skill.made.issues, [{ ...generated.issues[0], file: '' }]);
  });

  test('makes the doctor fail where a skill cannot run', async () => {
    using files = flows();
    using _family = knowFlows();
    const { code, out } = await call(['doctor', '--cwd', files.path]);
    assert.equal(code, 3);
    const [, summary = '', details = ''] = /^FAIL {2}code: (.*)\n((?: {6}.*\n)*)/m.exec(out) ?? [];
    assert.equal(
      summary,
      '1 failed, 1 missing, 1 edited by hand, 1 to generate, 1 up to date, 1 written by hand',
    );
    assert.match(details, /^ {6}drifted: error: No code\. Build it\.$/m);
    assert.match(details, / {6}→ .*`skilled build --cwd \S+`.*\n$/);
  });
});
