import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, optional, type Json, type RunResult } from '../core/index.ts';
import type { Expectation, TextExpectation, Eval } from './eval.ts';

/** What a case came to. */
interface TrialOutcome {
  /** Of the last turn. */
  readonly result: RunResult;
  /** Skills that were called, those of every depth, in the order of the tree. */
  readonly calls: readonly string[];
  /** Answers that nobody asked for. */
  readonly unusedAnswers: number;
  readonly workspace: string;
}

/** Everything in which an outcome is not what is expected. */
export function judgeTrial(
  trial: Pick<Eval, 'expect' | 'model'>,
  outcome: TrialOutcome,
): readonly Mismatch[] {
  const { result, calls, unusedAnswers } = outcome;
  const { expect: expected } = trial;
  const status = judgeStatus(trial, result);
  if (status.length > 0) return status; // nothing else can be expected of it then
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
      : [
          { what: 'answers', expected: 'a question for each', got: `${unusedAnswers} that nobody asked for` },
        ]),
  ];
}

function judgeStatus(trial: Pick<Eval, 'expect' | 'model'>, result: RunResult): readonly Mismatch[] {
  const { status, error } = trial.expect;
  const { error: fault } = result;
  const said = fault === undefined ? result.text : `${fault.code}: ${fault.message}`;
  if (result.status !== status)
    return [
      { what: 'status', expected: status, got: `${result.status}: ${said}`, ...hintFor(result, trial) },
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

/** Whether all names come in this order, whatever lies between them. */
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
    return undefined; // not there, or no file: either way it has no text
  }
}

/** The next step for whoever did not expect that a case would end so. */
function hintFor({ question, error }: RunResult, { model }: Pick<Eval, 'model'>): Pick<Mismatch, 'hint'> {
  if (error?.code === 'model.unavailable' && model === undefined)
    return { hint: "Give the case a model, as in model: { script: ['What it says.'] }." };
  if (error?.code === 'model.unavailable' && model !== undefined && 'recording' in model)
    return { hint: 'What is asked has changed since. Record it anew: `skilled test --record`' };
  if (question === undefined) return optional('hint', error?.hint);
  const { asks } = question;
  if (asks === undefined) return { hint: 'Give an answer under "answers", or expect status: waiting.' };
  const once = '`skilled test --yes`';
  if (asks.rule.startsWith('Trust('))
    return {
      hint: `Trust it with \`skilled trust grant ${asks.skill}\`, or allow it this once with ${once}.`,
    };
  const isForPeople = asks.each === true || asks.pin !== undefined;
  if (isForPeople) return { hint: `Only a person can allow that: ${once}` };
  return { hint: `Allow it in the case, as in approve: ['${asks.rule}'], or this once: ${once}` };
}

/** Where a text is not what is expected. */
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

/** Of texts of several lines only the first line that differs, since the others hide it. */
function difference(what: string, expected: string, got: string): Mismatch {
  const [wanted, found] = [expected.split('\n'), got.split('\n')];
  if (wanted.length === 1 && found.length === 1)
    return { what, expected: showText(expected), got: showText(got) };
  const at = wanted.findIndex((line, index) => line !== found[index]);
  const line = at < 0 ? wanted.length : at;
  const place = `line ${line + 1}: `;
  const lineIn = (lines: readonly string[]): string =>
    line < lines.length ? showText(lines[line] ?? '') : 'nothing';
  return { what, expected: `${place}${lineIn(wanted)}`, got: `${place}${lineIn(found)}` };
}

const mostShown = 500; // characters

function showText(text: string): string {
  const whole = JSON.stringify(text);
  return whole.length > mostShown ? `${whole.slice(0, mostShown).toWellFormed()}…` : whole;
}

/** Where a value is not what is expected: every member that is given must be there and equal, or, as a whole, no other may be. */
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
    const [wanted, found] = [expected[index], got[index]];
    const name = `${what}.${index}`;
    return wanted === undefined
      ? [mismatch(name, wanted, found)]
      : compareValues(name, wanted, found, isWhole);
  });
}

function mismatch(what: string, expected: Json | undefined, got: Json | undefined): Mismatch {
  return { what, expected: showValue(expected), got: showValue(got) };
}

function showValue(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** Something that is not as a case expects it. */
export interface Mismatch {
  /** As `status`, `value.total` or `files.notes.txt`. */
  readonly what: string;
  readonly expected: string;
  readonly got: string;
  /** The next step, where one is known. */
  readonly hint?: string;
}
