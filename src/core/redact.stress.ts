import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { count } from '../../test/stress/count.ts';
import { createRedactor } from './redact.ts';

const mark = '[redacted]';

// A guard against running time that grows faster than the text, not a benchmark.
const size = count({ small: 400_000, full: 1_000_000 }); // bytes
const generous = count({ small: 2000, full: 4000 }); // milliseconds

test('a thousand secrets and a long text are quick, whatever the text', () => {
  const secrets = Array.from({ length: 1000 }, () => randomBytes(30).toString('base64'));
  const alike = Array.from({ length: 1000 }, (_, index) => `${'a'.repeat(index)}aaaaaab`);
  const texts = [
    ...[
      'sk-',
      '-sk-ant-',
      'eyJ',
      '-eyJ',
      'eyJaaaaaaaaaa.',
      '[1meyJaaaaaaaa',
      '%22eyJaaaaaaaa',
      'ghp_',
      'xoxb-',
    ],
    ...['-----BEGIN PRIVATE KEY-----', '-----BEGIN ', '-----', '://', '://a:', '://a:b@', '://:${', 'a', ' '],
    ...[
      'authorization: bearer ',
      'authorization',
      'basic ',
      'bearer a',
      'SG.aaaaaaaaaaaaaaaa',
      mark,
      '[;',
      '\\n',
    ],
  ].map((unit) => unit.repeat(Math.ceil(size / unit.length)));
  for (const redact of [createRedactor(secrets), createRedactor(alike)]) {
    for (const text of [...texts, randomBytes((size / 4) * 3).toString('base64')]) {
      const started = performance.now();
      redact(text);
      assert.ok(performance.now() - started < generous, `${text.slice(0, 30)} took too long`);
    }
  }
});
