import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorData } from '../../core/error.ts';
import { createRedactor } from '../../core/secrets/redact.ts';
import type { ModelTarget } from './failures.ts';
import { toErrorData } from './error-data.ts';

const secret = 'abcdef0123456789';
const asked: ModelTarget = {
  id: 'anthropic/claude',
  model: 'claude',
  label: 'Anthropic',
  url: 'https://api.anthropic.com/v1',
  key: { variable: 'ANTHROPIC_API_KEY', from: 'environment' },
  redact: createRedactor([secret]),
};
const convert = (thrown: unknown, who = asked): ErrorData => toErrorData(thrown, who);

function network(code: string, more: object = {}): Error {
  const cause = Object.assign(new Error(`connect ${code} 1.2.3.4:443`), { code });
  return Object.assign(new Error(`Cannot connect to API: ${cause.message}`, { cause }), more);
}

test('a refused key names its variable and is never quoted', () => {
  const refused = { statusCode: 401, message: `Incorrect API key provided: ${secret}` };
  assert.deepEqual(convert(refused), {
    code: 'model.denied',
    message: 'The key in ANTHROPIC_API_KEY was rejected by Anthropic.',
    hint: 'Set ANTHROPIC_API_KEY to a valid key.',
    details: { status: 401, passing: false },
  });
  const inFile: ModelTarget = { ...asked, key: { variable: 'GEMINI_API_KEY', from: '.env' } };
  assert.match(convert(refused, inFile).message, /^The key in GEMINI_API_KEY in the file \.env was rejected/);
  const { key: _key, ...keyless } = asked;
  const without = convert(refused, { ...keyless, keyHint: 'Set X.' });
  assert.deepEqual([without.message, without.hint], ['Anthropic requires a key, but none is set.', 'Set X.']);
  assert.ok(!convert({ statusCode: 400, message: `Bad ${secret}` }).message.includes(secret));
});

test('a key at the end of a truncated quotation is removed completely', () => {
  for (let before = 300 - 2 * secret.length; before <= 300; before++) {
    const { message } = convert({ statusCode: 400, message: `${'x'.repeat(before)}${secret} and more` });
    assert.ok(!message.includes(secret.slice(0, 4)), message.slice(-40));
  }
});

test('words tell more than a status', () => {
  const codes = [
    [400, 'API key not valid. Please pass a valid API key.', 'model.denied'],
    [400, 'API key expired. Please renew the API key.', 'model.denied'],
    [400, 'Your credit balance is too low to access the API', 'model.denied'],
    [402, 'Insufficient credits', 'model.denied'],
    [400, "This model's maximum context length is 8192 tokens", 'model.too-long'],
    [400, 'the request exceeds the available context size', 'model.too-long'],
    [400, 'The input token count (99) exceeds the maximum number of tokens allowed', 'model.too-long'],
    [413, 'Too big', 'model.too-long'],
    [504, 'Gateway timeout', 'model.timeout'],
    [422, 'Unknown field', 'model.failed'],
  ] as const;
  for (const [statusCode, message, code] of codes)
    assert.equal(convert({ statusCode, message }).code, code, message);
  const quota = {
    statusCode: 429,
    message: 'You exceeded your quota',
    data: { error: { code: 'insufficient_quota' } },
  };
  assert.deepEqual(
    [convert(quota).code, convert(quota).details],
    ['model.denied', { status: 429, passing: false }],
  );
});

test('errors inside a stream come as plain objects', () => {
  assert.equal(convert({ message: 'x', type: 'overloaded_error' }).code, 'model.busy');
  assert.equal(convert({ message: 'x', code: 'rate_limit_exceeded' }).code, 'model.busy');
  assert.equal(convert({ message: 'x', code: 404 }).code, 'model.not-found');
  assert.equal(
    convert({ error: { message: 'Crashed', code: '500' } }).message,
    'Anthropic failed (500): Crashed.',
  );
  assert.equal(convert('Crashed').message, 'Anthropic could not finish the answer: Crashed.');
  for (const nothing of [undefined, null, 7, {}, [], new Error('')])
    assert.match(convert(nothing).message, /it gives no reason\.$/);
});

test('the way to a provider', () => {
  const cases = [
    ['ECONNREFUSED', /^Connection refused at https:\/\/api\.anthropic\.com\/v1\.$/, false],
    ['ENOTFOUND', /^The host in https:\/\/api\.anthropic\.com\/v1 was not found\.$/, false],
    ['EAI_AGAIN', /^The host in https:\/\/api\.anthropic\.com\/v1 was not found\.$/, true],
    ['ECONNRESET', /^The connection to https:\/\/api\.anthropic\.com\/v1 was closed /, true],
    ['UND_ERR_SOCKET', /^The connection to https:\/\/api\.anthropic\.com\/v1 was closed /, true],
    ['EHOSTUNREACH', /^Could not reach https:\/\/api\.anthropic\.com\/v1: /, true],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /^No secure connection to/, false],
  ] as const;
  for (const [code, message, passing] of cases) {
    const error = convert(network(code));
    assert.equal(error.code, 'model.unavailable', code);
    assert.match(error.message, message);
    assert.deepEqual(error.details, { passing }, code);
  }
  assert.equal(convert(network('UND_ERR_CONNECT_TIMEOUT')).code, 'model.timeout');
  assert.equal(convert(new DOMException('late', 'TimeoutError')).code, 'model.timeout');
  const cut = convert(network('ECONNRESET', { statusCode: 200 }));
  assert.deepEqual([cut.code, cut.details], ['model.failed', { passing: true }]);
  assert.match(cut.message, /anthropic\/claude was cut off\.$/);
});

test('an address is shown without what may be secret in it', () => {
  const { url: _url, ...nowhere } = asked;
  const error = convert(
    network('ECONNREFUSED', { url: 'http://me:pass@localhost:1/v1/chat?key=x' }),
    nowhere,
  );
  assert.equal(error.message, 'Connection refused at http://localhost:1/v1/chat.');
});

test('how long to wait', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 17) });
  const waitOf = (responseHeaders: object): unknown => {
    const { details } = convert({ statusCode: 429, message: 'x', responseHeaders });
    return (details as { readonly retryAfterMs?: number }).retryAfterMs;
  };
  assert.equal(waitOf({ 'retry-after': '2' }), 2000);
  assert.equal(waitOf({ 'retry-after': '2', 'retry-after-ms': '150' }), 150);
  assert.equal(waitOf({ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }), 0);
  assert.equal(waitOf({ 'retry-after': 'Tue, 17 Nov 2026 00:01:00 GMT' }), 60_000);
  for (const nonsense of [{}, { 'retry-after': 'soon' }, { 'retry-after': '-1' }, { 'retry-after': '' }])
    assert.equal(waitOf(nonsense), undefined);
});

test('the sentence of a provider is found where providers put it, in one line', () => {
  const sentenceOf = (responseBody: string): string =>
    convert({ statusCode: 422, message: 'Unprocessable', responseBody }).message;
  const start = 'Anthropic rejected the request (422): ';
  assert.equal(sentenceOf('{"error": {"message": "One\\n two"}}'), `${start}One two.`);
  assert.equal(sentenceOf('{"error": "Two"}'), `${start}Two.`);
  assert.equal(sentenceOf('{"detail": "Three!"}'), `${start}Three!`);
  assert.equal(sentenceOf('[{"error": {"message": "Four"}}]'), `${start}Four.`);
  assert.equal(sentenceOf('<html>'), `${start}Unprocessable.`);
  assert.equal(sentenceOf(`{"error": "${'x'.repeat(999)}"}`).length, start.length + 301);
});
