import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, flowFamily, flowsIn, flowText } from '../../test/support/kernel.ts';
import { tree } from '../../test/support/tree.ts';
import type { GeneratedCode } from '../core/family.ts';
import type { CheckResult, Examined } from './report.ts';
import { checkGeneratedCode } from './skills.ts';

function checked(...states: readonly GeneratedCode['status'][]): CheckResult {
  const names = states.map((state, index) => [`skills/s${index}/FLOW.md`, flowText(`s${index}`, state)]);
  using files = tree(Object.fromEntries(names) as Record<string, string>);
  const inspect = (body: string): GeneratedCode => ({
    status: states.find((state) => state === body) ?? 'own',
    files: [],
    issues: [{ level: 'info', code: 'generation.due', message: `It is ${body}.` }],
  });
  const agent = agentWith({}, flowsIn(files.path, flowFamily({ generation: { inspect } })));
  return checkGeneratedCode({ agent } as unknown as Examined);
}

test('the gravest state decides how the check comes out', () => {
  const cases: readonly (readonly [CheckResult['status'], readonly GeneratedCode['status'][]])[] = [
    ['ok', []],
    ['ok', ['own', 'current', 'due']],
    ['warn', ['due', 'drifted']],
    ['fail', ['drifted', 'failed']],
    ['fail', ['current', 'missing']],
  ];
  for (const [status, states] of cases) assert.equal(checked(...states).status, status, states.join());
});

test('details are below it with the next step', () => {
  const { summary, details, hint } = checked('due', 'current');
  assert.equal(summary, '1 to generate, 1 up to date');
  assert.deepEqual(details, ['s0: info: It is due.', 's1: info: It is current.']);
  assert.match(hint ?? '', /`skilled build`/);
  assert.deepEqual(checked(), { id: 'code', status: 'ok', summary: 'no skill has code', details: [] });
});
