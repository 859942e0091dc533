import ts from 'typescript';
import { judgeNodes } from '../rule.ts';
import type { Diagnostic, Rule } from '../rule.ts';
import type { Source } from '../source.ts';

// Functions that only measure time. The current time also has other uses, such as expiry dates.
const meters = new Set([
  ...['performance.now', 'process.hrtime', 'process.hrtime.bigint', 'process.uptime'],
  ...[
    'process.cpuUsage',
    'process.threadCpuUsage',
    'monitorEventLoopDelay',
    'performance.eventLoopUtilization',
  ],
]);

const clockNames = [...meters, 'Date.now'];

// Test files that may read a clock, with the reason.
const exceptions = new Map([
  ['processes/building.stress.ts', 'to choose the moment at which a process is killed'],
  ['processes/freeze.stress.ts', 'to choose the moment at which a process is frozen'],
  ['processes/kill.stress.ts', 'to choose the moment at which a process is killed'],
  ['stress/stress.ts', 'long loops run until their share of the time is used up'],
]);

/** Tests and contract suites must not measure time, because they would fail on a busy machine. */
export const clocks: Rule = {
  name: 'clocks',
  find: (tree) => findClocks(tree.filter(({ role, folder }) => role === 'test' || folder === 'testing')),
};

/** Returns the positions where these files measure time. */
export function findClocks(sources: readonly Source[]): Diagnostic[] {
  return sources
    .filter(({ path, role }) => role !== 'fixture' && !exceptions.has(path))
    .filter(({ text }) => clockNames.some((name) => text.includes(name)))
    .flatMap((source) =>
      judgeNodes(source, (node) =>
        measures(node) ? 'Wait with test/support/deadline.ts; measure in bench.' : undefined,
      ),
    );
}

function measures(node: ts.Node): boolean {
  if (!ts.isCallExpression(node)) return false;
  const called = node.expression.getText();
  return meters.has(called) || (called === 'Date.now' && isMoment(node));
}

// Whether the time is stored, compared or subtracted from.
function isMoment(now: ts.CallExpression): boolean {
  const { parent } = now;
  if (ts.isVariableDeclaration(parent)) return true;
  if (!ts.isBinaryExpression(parent)) return false;
  const { left, operatorToken, right } = parent;
  if (/^[<>]=?$/.test(operatorToken.getText())) return true;
  const isDifference = operatorToken.kind === ts.SyntaxKind.MinusToken;
  return isDifference && !(left === now && /^[\d_ *]+$/.test(right.getText()));
}
