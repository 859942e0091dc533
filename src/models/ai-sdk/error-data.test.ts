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
const told = (thrown: unknown, who = asked): ErrorData => toErrorData(thrown, who);

function network(code: string, more: object = {}): Error {
  const cause = Object.assign(new Error(`connect ${code} 1.2.3.4:443`), { code });
  return Object.assign(new Error(`Cannot connect to API: ${cause.message}`, { cause }), more);
}

test('a refused key names its variable and is never quoted', () => {
  const refused = { statusCode: 401, message: `Incorrect API key provided: ${secret}` };
  assert.deepEqual(told(refused), {
    code: 'model.denied',
    message: 'The key in ANTHROPIC_API_KEY was refused by Anthropic.',
    hint: 'Set ANTHROPIC_API_KEY to a key that is valid.',
    details: { status: 401, passing: false },
  });
  const inFile: ModelTarget = { ...asked, key: { variable: 'GEMINI_API_KEY', from: '.env' } };
  assert.match(told(refused, inFile).message, /^The key in GEMINI_API_KEY of the file \.env was refused/);
  const { key: _key, ...keyless } = asked;
  const without = told(refused, { ...keyless, keyHint: 'Set X.' });
  assert.deepEqual([without.message, without.hint], ['Anthropic asks for a key, and none is set.', 'Set X.']);
  assert.ok(!told({ statusCode: 400, message: `Bad ${secret}` }).message.includes(secret));
});

test('of a key that lies where the quotation is cut nothing is left', () => {
  for (let before = 300 - 2 * secret.length; before <= 300; before++) {
    const { message } = told({ statusCode: 400, message: `${'x'.repeat(before)}${secret} and more` });
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
    assert.equal(told({ statusCode, message }).code, code, message);
  const quota = {
    statusCode: 429,
    message: 'You exceeded your quota',
    data: { error: { code: 'insufficient_quota' } },
  };
  assert.deepEqual(
    [told(quota).code, told(quota).details],
    ['model.denied', { status: 429, passing: false }],
  );
});

test('errors inside a stream come as plain objects', () => {
  assert.equal(told({ message: 'x', type: 'overloaded_error' }).code, 'model.busy');
  assert.equal(told({ message: 'x', code: 'rate_limit_exceeded' }).code, 'model.busy');
  assert.equal(told({ message: 'x', code: 404 }).code, 'model.not-found');
  assert.equal(
    told({ error: { message: 'Crashed', code: '500' } }).message,
    'Anthropic failed (500): Crashed.',
  );
  assert.equal(told('Crashed').message, 'Anthropic could not finish the answer: Crashed.');
  for (const nothing of [undefined, null, 7, {}, [], new Error('')])
    assert.match(told(nothing).message, /it does not say why\.$/);
});

test('the way to a provider', () => {
  const cases = [
    ['ECONNREFUSED', /^Nothing answers at https:\/\/api\.anthropic\.com\/v1\.$/, false],
    ['ENOTFOUND', /^No machine is known by the name/, false],
    ['EAI_AGAIN', /^No machine is known by the name/, true],
    ['ECONNRESET', /was closed before an answer came\.$/, true],
    ['UND_ERR_SOCKET', /was closed before an answer came\.$/, true],
    ['EHOSTUNREACH', /cannot be reached/, true],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /^There is no secure connection to/, false],
  ] as const;
  for (const [code, message, passing] of cases) {
    const error = told(network(code));
    assert.equal(error.code, 'model.unavailable', code);
    assert.match(error.message, message);
    assert.deepEqual(error.details, { passing }, code);
  }
  assert.equal(told(network('UND_ERR_CONNECT_TIMEOUT')).code, 'model.timeout');
  assert.equal(told(new DOMException('late', 'TimeoutError')).code, 'model.timeout');
  const cut = told(network('ECONNRESET', { statusCode: 200 }));
  assert.deepEqual([cut.code, cut.details], ['model.failed', { passing: true }]);
  assert.match(cut.message, /was cut off before its end/);
});

test('an address is shown without what may be secret in it', () => {
  const { url: _url, ...nowhere } = asked;
  const error = told(network('ECONNREFUSED', { url: 'http://me:pass@localhost:1/v1/chat?key=x' }), nowhere);
  assert.equal(error.message, 'Nothing answers at http://localhost:1/v1/chat.');
});

test('how long to wait', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 17) });
  const waitOf = (responseHeaders: object): unknown => {
    const { details } = told({ statusCode: 429, message: 'x', responseHeaders });
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
    told({ statusCode: 422, message: 'Unprocessable', responseBody }).message;
  const start = 'Anthropic refused the request (422): ';
  assert.equal(sentenceOf('{"error": {"message": "One\\n two"}}'), `${start}One two.`);
  assert.equal(sentenceOf('{"error": "Two"}'), `${start}Two.`);
  assert.equal(sentenceOf('{"detail": "Three!"}'), `${start}Three!`);
  assert.equal(sentenceOf('[{"error": {"message": "Four"}}]'), `${start}Four.`);
  assert.equal(sentenceOf('<html>'), `${start}Unprocessable.`);
  assert.equal(sentenceOf(`{"error": "${'x'.repeat(999)}"}`).length, start.length + 301);
});
