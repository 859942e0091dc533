import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../../test/stress/stress.ts';
import type { Json } from '../json.ts';
import { createRedactor, redactJson } from './redact.ts';

const { createLoop } = openLoops(import.meta);
const mark = '[redacted]';
const secret = 'pa ss"wörd/+7';

test('a known secret is redacted in every form, also inside longer text', () => {
  const redact = createRedactor([` ${secret}\n`]);
  const encoded = Buffer.from(secret);
  for (const form of [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
    encodeURI(secret),
    new URLSearchParams({ a: secret }).toString().slice(2),
    encoded.toString('base64'),
    encoded.toString('base64').replace(/=+$/, ''),
    encoded.toString('base64url'),
    Buffer.from(` ${secret}\n`).toString('base64'),
  ]) {
    assert.equal(redact(`a${form}b ${form}`), `a${mark}b ${mark}`, form);
  }
});

test('a secret inside another one leaves no tail, and overlapping ones are one', () => {
  const redact = createRedactor(['abcdef', 'xabcdefy', 'defghijk', '123456']);
  assert.equal(redact('1 abcdef 2 xabcdefy 3'), `1 ${mark} 2 ${mark} 3`);
  assert.equal(redact('xabcdef'), `x${mark}`);
  assert.equal(redact('abcdefghijk.'), `${mark}.`);
  assert.equal(redact('123456123456'), mark + mark);
});

test('short secrets and no secrets redact nothing', () => {
  assert.equal(createRedactor([])('hello'), 'hello');
  assert.equal(createRedactor(['', ' ', 'hello', '  hello  '])('hello world'), 'hello world');
});

test('a secret that looks like the mark does not spoil it', () => {
  const redact = createRedactor(['redacted', 'acted][red', '[redacted', '\ud800lone surrogate']);
  assert.equal(redact('redacted [redacted][redacted]'), `${mark} ${mark}${mark}`);
});

test('a secret in a password of a URL takes the whole password with it', () => {
  assert.equal(createRedactor(['middle'])('a://me:xxmiddlexx@host'), `a://me:${mark}@host`);
});

const char = fc.constantFrom(
  ...['a', 'b', '-', '_', '.', ':', '/', '@', ' ', '[', ']', '%', '\\n', '0'],
  'sk-',
  'eyJ',
  'bearer ',
  '://',
  mark,
  'redacted',
);
const messy = fc.array(char, { maxLength: 60 }).map((parts) => parts.join(''));

const loop = createLoop({ small: 300, full: 30_000 });

test('redacting twice is redacting once, and no secret is left', () => {
  const token = fc.constantFrom(
    'sk-' + 'a1B2'.repeat(6),
    `AKIA${'A2'.repeat(8)}`,
    `eyJ${'a'.repeat(9)}.${'b'.repeat(9)}.${'c'.repeat(9)}`,
  );
  const text = fc.array(fc.oneof(messy, token, char), { maxLength: 12 }).map((parts) => parts.join(''));
  const secrets = fc.array(fc.oneof(fc.stringMatching(/^[ab]{6,9}$/), messy), { maxLength: 4 });
  fc.assert(
    fc.property(text, secrets, fc.nat(), (around, known, at) => {
      const redact = createRedactor(known);
      const whole = around.slice(0, at % 20) + known.join('') + around.slice(at % 20);
      const once = redact(whole);
      assert.equal(redact(once), once);
      for (const part of once.split(mark))
        for (const value of known) if (value.trim().length >= 6) assert.ok(!part.includes(value.trim()));
    }),
    loop.runs(),
  );
});

test('a run of 10 MB does not exhaust the stack', () => {
  const redact = createRedactor([]);
  const run = 'a1'.repeat(5_000_000);
  assert.equal(redact(`sk-${run}`), mark);
  for (const start of [
    'eyJ',
    'a://b:',
    'basic ',
    'x-api-key: ',
    'authorization: bearer ',
    '-----BEGIN PRIVATE KEY-----',
  ])
    assert.doesNotThrow(() => redact(start + run));
});

test('a value is redacted in texts and keys and shares what did not change', () => {
  const redact = createRedactor(['secret-one', 'secret-two']);
  const same = { deep: ['a', 1, null, true] };
  const value = { same, list: [same, 'the secret-one'], 'secret-two': { a: 'b' } };
  const redacted = redactJson(value, redact) as typeof value;
  assert.deepEqual(redacted, { same, list: [same, `the ${mark}`], [mark]: { a: 'b' } });
  assert.equal(redacted.same, same);
  assert.equal(redacted.list[0], same);
  assert.equal(redactJson(redacted, redact), redacted);
  for (const untouched of [same, [same], {}, [], 'a', -0, null])
    assert.ok(Object.is(redactJson(untouched, redact), untouched));
});

test('keys that become equal stay apart', () => {
  const redact = createRedactor(['secret-one', 'secret-two', 'secret-six']);
  const value: Json = { 'secret-one': 1, 'secret-two': 2, [`${mark} 2`]: 3, [mark]: 4, 'secret-six': 5 };
  const redacted = redactJson(value, redact);
  assert.deepEqual(redacted, {
    [`${mark} 3`]: 1,
    [`${mark} 4`]: 2,
    [`${mark} 2`]: 3,
    [mark]: 4,
    [`${mark} 5`]: 5,
  });
  assert.deepEqual(Object.values(redacted as object), [1, 2, 3, 4, 5]);
});

test('a key that reaches a prototype stays data', () => {
  const value = JSON.parse('{"__proto__": "secret-one"}') as Json;
  assert.equal(JSON.stringify(redactJson(value, createRedactor(['secret-one']))), `{"__proto__":"${mark}"}`);
});
