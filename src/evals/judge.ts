import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, optional, type Json, type RunResult } from '../core/index.ts';
import type { Expectation, TextExpectation, Eval } from './eval.ts';

/** The actual outcome of an eval. */
interface EvalOutcome {
  /** The result of the last turn. */
  readonly result: RunResult;
  /** The names of all called skills, including those of nested calls, depth-first. */
  readonly calls: readonly string[];
  /** The number of unused answers. */
  readonly unusedAnswers: number;
  readonly workspace: string;
}

/** Returns all differences between the outcome of an eval and its expected result. */
export function judgeEval(
  evaluation: Pick<Eval, 'expect' | 'model'>,
  outcome: EvalOutcome,
): readonly Mismatch[] {
  const { result, calls, unusedAnswers } = outcome;
  const { expect: expected } = evaluation;
  const status = judgeStatus(evaluation, result);
  // If the status is wrong, do not report any other differences.
  if (status.length > 0) return status;
  const { text, value, maxCalls } = expected;
  return [
    ...(text === undefined ? [] : compareText('text', text, result.text)),
    ...(value === undefined ? [] : compareValues('value', value.value, result.value, value.isWhole)),
    ...judgeCalls(expected, calls),
    ...(maxCalls === undefined || calls.length <= maxCalls
      ? []
      : [{ what: 'maxCalls', expected: `at most ${maxCalls}`, got: `${calls.length}: ${calls.join(', ')}` }]),
    ...judgeFiles(expected, outcome.workspace),
    ...(unusedAnswers === 0
      ? []
      : [{ what: 'answers', expected: 'a question for each answer', got: `${unusedAnswers} unused` }]),
  ];
}

function judgeStatus(evaluation: Pick<Eval, 'expect' | 'model'>, result: RunResult): readonly Mismatch[] {
  const { status, error } = evaluation.expect;
  const { error: fault } = result;
  const said = fault === undefined ? result.text : `${fault.code}: ${fault.message}`;
  if (result.status !== status)
    return [
      { what: 'status', expected: status, got: `${result.status}: ${said}`, ...hintFor(result, evaluation) },
    ];
  if (error === undefined || fault?.code === error) return [];
  return [{ what: 'error', expected: error, got: said }];
}

function judgeCalls({ calls: expected }: Expectation, calls: readonly string[]): readonly Mismatch[] {
  if (expected === undefined) return [];
  const { names, isWhole } = expected;
  const isMet = isWhole ? names.join('\n') === calls.join('\n') : isWithin(names, calls);
  if (isMet) return [];
  const got = calls.length === 0 ? 'no calls' : calls.join(', ');
  return [{ what: 'calls', expected: `${isWhole ? 'exactly ' : ''}${names.join(', ') || 'no calls'}`, got }];
}

/** Whether all names occur in the calls in this order. Other calls may occur between them. */
function isWithin(names: readonly string[], calls: readonly string[]): boolean {
  let met = 0;
  for (const call of calls) if (call === names[met]) met++;
  return met === names.length;
}

function judgeFiles({ files = {} }: Expectation, workspace: string): readonly Mismatch[] {
  return Object.entries(files).flatMap(([path, expected]) => {
    const what = `files.${path}`;
    const text = textOf(join(workspace, path));
    if (expected === null) return text === undefined ? [] : [{ what, expected: 'no file', got: 'a file' }];
    return text === undefined
      ? [{ what, expected: 'a file', got: 'no file' }]
      : compareText(what, expected, text);
  });
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // The path does not exist or is not a file.
  }
}

/** Returns a hint on the next step after a run that ended unexpectedly. */
function hintFor({ question, error }: RunResult, { model }: Pick<Eval, 'model'>): Pick<Mismatch, 'hint'> {
  if (error?.code === 'model.unavailable' && model === undefined)
    return { hint: "Set a model for the test, for example model: { script: ['What it says.'] }." };
  if (error?.code === 'model.unavailable' && model !== undefined && 'recording' in model)
    return {
      hint: 'The requests have changed since the recording. Record them again: `skilled test --record`',
    };
  if (question === undefined) return optional('hint', error?.hint);
  const { asks } = question;
  if (asks === undefined) return { hint: 'Add an answer under "answers", or expect status: waiting.' };
  const once = '`skilled test --yes`';
  if (asks.rule.startsWith('Trust('))
    return {
      hint: `Trust it with \`skilled trust grant ${asks.skill}\`, or allow it once with ${once}.`,
    };
  const isForPeople = asks.each === true || asks.pin !== undefined;
  if (isForPeople) return { hint: `Only you can allow this: ${once}` };
  return { hint: `Allow it in the test with approve: ['${asks.rule}'], or allow it once: ${once}` };
}

/** Returns all differences between a text and the expected text. */
function compareText(what: string, expected: TextExpectation, got: string): readonly Mismatch[] {
  const { equals, contains = [], matches } = expected;
  const faults: Mismatch[] = [];
  if (equals !== undefined && equals !== got) faults.push(difference(what, equals, got));
  for (const part of contains)
    if (!got.includes(part))
      faults.push({ what, expected: `contains ${JSON.stringify(part)}`, got: showText(got) });
  if (matches !== undefined && !matches.test(got))
    faults.push({ what, expected: `matches /${matches.source}/`, got: showText(got) });
  return faults;
}

/**
 * Describes the difference between two strings. For text of several lines, shows only the first line that
 * differs.
 */
function difference(what: string, expected: string, got: string): Mismatch {
  const [expectedLines, found] = [expected.split('\n'), got.split('\n')];
  if (expectedLines.length === 1 && found.length === 1)
    return { what, expected: showText(expected), got: showText(got) };
  const at = expectedLines.findIndex((line, index) => line !== found[index]);
  const line = at < 0 ? expectedLines.length : at;
  const prefix = `line ${line + 1}: `;
  const lineIn = (lines: readonly string[]): string =>
    line < lines.length ? showText(lines[line] ?? '') : 'nothing';
  return { what, expected: `${prefix}${lineIn(expectedLines)}`, got: `${prefix}${lineIn(found)}` };
}

const maxShown = 500; // The maximum number of characters to show from a text.

function showText(text: string): string {
  const whole = JSON.stringify(text);
  return whole.length > maxShown ? `${whole.slice(0, maxShown).toWellFormed()}…` : whole;
}

/**
 * Returns all differences between two values. Each expected property must exist and have the expected value.
 * If `isWhole` is true, additional properties are also differences.
 */
function compareValues(
  what: string,
  expected: Json,
  got: Json | undefined,
  isWhole: boolean,
): readonly Mismatch[] {
  if (Array.isArray(expected) && Array.isArray(got)) return compareLists(what, expected, got, isWhole);
  if (isJsonObject(expected) && isJsonObject(got)) {
    const given = Object.entries(expected).flatMap(([key, value]) =>
      compareValues(`${what}.${key}`, value, Object.hasOwn(got, key) ? got[key] : undefined, isWhole),
    );
    const more = isWhole ? Object.keys(got).filter((key) => !Object.hasOwn(expected, key)) : [];
    const unexpected = more.map((key) => mismatch(`${what}.${key}`, undefined, got[key]));
    return [...given, ...unexpected];
  }
  return Object.is(expected, got) ? [] : [mismatch(what, expected, got)];
}

function compareLists(
  what: string,
  expected: readonly Json[],
  got: readonly Json[],
  isWhole: boolean,
): readonly Mismatch[] {
  const longest = Math.max(expected.length, got.length);
  return Array.from({ length: longest }, (_, index) => index).flatMap((index) => {
    const [expectedItem, found] = [expected[index], got[index]];
    const name = `${what}.${index}`;
    return expectedItem === undefined
      ? [mismatch(name, expectedItem, found)]
      : compareValues(name, expectedItem, found, isWhole);
  });
}

function mismatch(what: string, expected: Json | undefined, got: Json | undefined): Mismatch {
  return { what, expected: showValue(expected), got: showValue(got) };
}

function showValue(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** A difference between an eval's outcome and its expectation. */
export interface Mismatch {
  /** The name of the value that differs, such as `status`, `value.total` or `files.notes.txt`. */
  readonly what: string;
  readonly expected: string;
  readonly got: string;
  /** A suggestion for the next step. */
  readonly hint?: string;
}
