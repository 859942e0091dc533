import assert from 'node:assert/strict';
import type { SopIssue } from '../../src/engines/sop/issue.ts';
import { visibleStart } from '../../src/engines/sop/language/lines.ts';
import { parseSop, type ParsedSop } from '../../src/engines/sop/language/parse-sop.ts';
import { printSop } from '../../src/engines/sop/language/print-sop.ts';
import type {
  Declares,
  PlanArgument,
  PlanReference,
  PlanStep,
  ScriptPosition,
} from '../../src/engines/sop/plan.ts';
import { shapeOf } from './plan-shape.ts';

/** Parses a script and checks the result against everything that the parser guarantees for any script. */
export function checkParsed(script: string, declares?: Declares): ParsedSop {
  const parsed = parseSop(script, declares);
  const lines = script.split(/\r\n|\n|\r/);
  const rest = ({ line, column }: ScriptPosition): string => (lines[line - 1] ?? '').slice(column - 1);

  for (const step of parsed.plan.steps) checkStep(step, rest);
  for (const issue of parsed.issues) checkIssue(issue, rest);
  for (const [index, { line, column }] of parsed.issues.entries()) {
    const before = parsed.issues[index - 1] ?? { line: 1, column: 1 };
    assert.ok(before.line < line || (before.line === line && before.column <= column), 'issues in order');
  }

  if (parsed.issues.some(({ level }) => level === 'error')) return parsed;
  const printed = printSop(parsed.plan);
  const again = parseSop(printed, declares);
  assert.deepEqual(again.issues, []);
  assert.deepEqual(shapeOf(again.plan), shapeOf(parsed.plan));
  assert.equal(printSop(again.plan), printed);
  return parsed;
}

type Rest = (position: ScriptPosition) => string;

function checkStep(step: PlanStep, rest: Rest): void {
  assert.ok(rest(step.position).startsWith(`@${step.name}`));
  assert.ok(rest(step.commandPosition).startsWith(step.command));
  assert.match(step.name, /^\S+$/);
  assert.match(step.command, /^[^\s#]\S*$/);
  if (step.each !== undefined) checkReference(step.each, rest);
  if (step.when !== undefined) checkReference(step.when.of, rest);
  for (const argument of step.arguments) checkArgument(argument, rest);
}

function checkReference({ path, position }: PlanReference, rest: Rest): void {
  assert.ok(path !== '' && rest(position).startsWith(`$${path}`));
}

function checkArgument(argument: PlanArgument, rest: Rest): void {
  if (argument.kind === 'reference') return checkReference(argument, rest);
  const { text, position, key } = argument;
  const there = rest(position);
  const isWritten = there.startsWith(text) || /^["']|^--begin-/.test(there);
  if (!isWritten)
    assert.ok(text.slice(visibleStart(text)).startsWith(there.trimEnd()), JSON.stringify({ text, there }));
  if (key !== undefined)
    assert.ok(rest({ ...position, column: position.column - key.length - 1 }).startsWith(`${key}=`));
}

const starts: Readonly<Partial<Record<SopIssue['code'], RegExp>>> = {
  'sop.no-declaration': /^[^\s@#]/,
  'sop.no-name': /^@(?:\s|$)/,
  'sop.no-command': /^@/,
  'sop.open-string': /^["']/,
  'sop.open-escape': /^\\$/,
  'sop.open-heredoc': /^--begin-/,
  'sop.after-heredoc': /^[^\s@]/,
  'sop.comment-in-text': /^#/,
  'sop.not-last': /^(?:--begin-|when\s)/,
};

function checkIssue({ code, line, column, message, hint }: SopIssue, rest: Rest): void {
  assert.match(rest({ line, column }), starts[code] ?? /^never/, code);
  assert.ok(message !== '' && hint !== undefined && hint !== '');
}
