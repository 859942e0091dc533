import { errorCodes, isErrorCode, type ErrorCode } from '../core/error.ts';
import { isJsonObject } from '../core/json.ts';
import { didYouMean } from '../core/names.ts';
import { optional } from '../core/collections.ts';
import { amountIn, itemsIn, memberOf, membersIn, objectIn, textIn, textsIn, type Part } from './part.ts';
import { readPath } from './read-path.ts';
import type { Expectation, TextExpectation, ValueExpectation } from './trial.ts';

/** What stands under `expect`; done unless said, and failed where an error is expected. */
export function readExpectation(part: Part): Expectation {
  objectIn(part, ['status', 'text', 'value', 'error', 'calls', 'maxCalls', 'files']);
  const error = memberOf(part, 'error', readErrorCode);
  return {
    status: memberOf(part, 'status', readStatus) ?? (error === undefined ? 'done' : 'failed'),
    ...optional('text', memberOf(part, 'text', readTextExpectation)),
    ...optional('value', memberOf(part, 'value', readValueExpectation)),
    ...optional('error', error),
    ...optional('calls', memberOf(part, 'calls', readCalls)),
    ...optional('maxCalls', memberOf(part, 'maxCalls', readCount)),
    ...optional('files', memberOf(part, 'files', readFiles)),
  };
}

const statuses = ['done', 'failed', 'waiting'] as const;

function readStatus(part: Part): (typeof statuses)[number] | undefined {
  const found = statuses.find((status) => status === part.value);
  if (found === undefined) part.wrong(`must be one of ${statuses.join(', ')}.`);
  return found;
}

function readErrorCode(part: Part): ErrorCode | undefined {
  if (isErrorCode(part.value)) return part.value;
  const near = didYouMean(JSON.stringify(part.value), errorCodes);
  part.wrong('must be the code of an error.', near ?? 'The codes stand in docs/command-line.md.');
  return undefined;
}

function readTextExpectation(part: Part): TextExpectation {
  if (typeof part.value === 'string') return { equals: part.value };
  objectIn(part, ['equals', 'contains', 'matches']);
  return {
    ...optional('equals', memberOf(part, 'equals', textIn)),
    ...optional('contains', memberOf(part, 'contains', textsIn)),
    ...optional('matches', memberOf(part, 'matches', readPattern)),
  };
}

function readPattern(part: Part): RegExp | undefined {
  try {
    return new RegExp(textIn(part), 'u');
  } catch {
    part.wrong('must be a regular expression of JavaScript.'); // the pattern itself stands in the file
    return undefined;
  }
}

function readValueExpectation({ value }: Part): ValueExpectation {
  const isWhole = isJsonObject(value) && Object.keys(value).join() === 'exactly';
  return isWhole ? { value: value['exactly'] ?? null, isWhole } : { value, isWhole };
}

function readCalls(part: Part): NonNullable<Expectation['calls']> {
  if (!isJsonObject(part.value)) return { names: itemsIn(part).map(textIn), isWhole: false };
  objectIn(part, ['exactly']);
  return { names: itemsIn(part.at('exactly')).map(textIn), isWhole: true };
}

function readCount(part: Part): number {
  return part.value === 0 ? 0 : amountIn(part);
}

function readFiles(part: Part): Expectation['files'] {
  const files = membersIn(part).map(
    (member) => [readPath(member), member.value === null ? null : readTextExpectation(member)] as const,
  );
  return Object.fromEntries(files);
}
