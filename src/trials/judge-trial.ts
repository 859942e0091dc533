import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunResult } from '../core/run.ts';
import { compareText } from './compare-text.ts';
import { compareValues } from './compare-values.ts';
import { hintFor } from './hint-for.ts';
import type { Mismatch } from './mismatch.ts';
import type { Expectation, Trial } from './trial.ts';

/** What a case came to. */
export interface TrialOutcome {
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
  trial: Pick<Trial, 'expect' | 'model'>,
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

function judgeStatus(trial: Pick<Trial, 'expect' | 'model'>, result: RunResult): readonly Mismatch[] {
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
