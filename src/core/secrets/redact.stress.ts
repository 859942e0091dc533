import { test } from 'node:test';
import type { Round } from '../../../test/stress/loops.ts';
import { openLoops } from '../../../test/stress/stress.ts';
import { finished } from '../../../test/support/deadline.ts';
import type { Random } from '../../../test/support/random.ts';
import { createRedactor } from './redact.ts';

const mark = '[redacted]';

// Time that grows with the square of the text would take minutes.
const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 400_000, full: 1_000_000 }); // characters

test('a thousand secrets and a long text are read in time that grows with the text alone, whatever it is', async () => {
  await loop.sizes(check);
});

function check(size: number, { random }: Round): void {
  const secrets = Array.from({ length: 1000 }, () => randomText(random, 40));
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
    for (const text of [...texts, randomText(random, size)]) {
      finished(text.slice(0, 30), () => redact(text));
    }
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.split('');

function randomText(random: Random, length: number): string {
  return Array.from({ length }, () => random.pick(alphabet)).join('');
}
