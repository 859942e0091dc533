import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonOf } from './crash-reason.ts';
import { AgentError, exitCodeOf, isAgentError, toErrorData, type ErrorCode } from './error.ts';

test('an error says what, where and what next, and keeps its cause', () => {
  const cause = new Error('deep');
  const error = new AgentError('skill.not-found', 'No skill "x".', {
    hint: 'Try "y".',
    details: { near: ['y'] },
    cause,
  });
  assert.equal(error.name, 'AgentError');
  assert.ok(error instanceof Error && error.cause === cause);
  assert.deepEqual(toErrorData(error), {
    code: 'skill.not-found',
    message: 'No skill "x".',
    hint: 'Try "y".',
    details: { near: ['y'] },
  });
  assert.deepEqual(toErrorData(new AgentError('usage.bad-input', 'm')), {
    code: 'usage.bad-input',
    message: 'm',
  });
});

test('an error of another copy of the package is recognised', () => {
  assert.equal(isAgentError({ [Symbol.for('skilled.AgentError')]: true }), true);
  for (const value of [new Error('x'), {}, null, undefined, 'text', Object.create(null)])
    assert.equal(isAgentError(value), false);
});

test('anything else that is thrown is a bug of ours, and never crashes its report', () => {
  assert.equal(toErrorData(new TypeError('boom')).message, 'boom');
  for (const thrown of [
    'text',
    7,
    null,
    undefined,
    Symbol('s'),
    {},
    Object.create(null),
    { toString: () => ({}) },
    () => 1,
  ]) {
    const data = toErrorData(thrown);
    assert.equal(data.code, 'internal.bug');
    assert.equal(typeof data.message, 'string');
    assert.ok(data.hint);
  }
});

test('the prefix of a code decides the exit code', () => {
  const codes: [ErrorCode, number][] = [
    ['usage.bad-input', 2],
    ['skill.invalid', 3],
    ['limit.too-large', 5],
    ['internal.bug', 1],
  ];
  for (const [code, exit] of codes) assert.equal(exitCodeOf(code), exit);
  assert.equal(exitCodeOf('new.thing' as ErrorCode), 1);
});

test('the reason of a thrown object that is not an error is its message, or what is in it', () => {
  const unreadable = {
    get message(): string {
      throw new Error('No.');
    },
  };
  assert.equal(reasonOf({ message: 'Quota exceeded.', code: 7 }), 'Quota exceeded.');
  for (const empty of [new Error(''), new TypeError(' '), '', '\n'])
    assert.match(reasonOf(empty), /^it threw an (?:error without a message|empty text)$/);
  const coded = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
  assert.match(reasonOf(coded), /\(ECONNREFUSED\)$/);
  assert.equal(reasonOf({ status: 429 }), '{"status":429}');
  assert.ok(reasonOf({ list: 'x'.repeat(10_000) }).length <= 500);
  for (const thrown of [{}, [], unreadable, Object.create(null)]) assert.match(reasonOf(thrown), /object/);
});
