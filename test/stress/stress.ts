import { randomInt } from 'node:crypto';
import { join, relative } from 'node:path';
import { createLoops, type Loops, type StressOrder } from './loops.ts';

const given = process.env['SKILLED_STRESS'] ?? '';
const order: StressOrder =
  given === '' ? { mode: 'small', seed: randomInt(2 ** 31) } : (JSON.parse(given) as StressOrder);
const root = join(import.meta.dirname, '..', '..');
const opened: Loops[] = [];

/**
 * Returns a test file's loops as configured by `npm run stress` in the variable `SKILLED_STRESS`, or with
 * small counts.
 */
export function openLoops({ filename }: ImportMeta): Loops {
  const loops = createLoops(order, { file: relative(root, filename), now: () => performance.now() });
  opened.push(loops);
  return loops;
}

process.on('exit', (code) => {
  const rounds = opened.reduce((sum, loops) => sum + loops.rounds, 0);
  if (order.mode !== 'small')
    process.stdout.write(`stress: ${rounds} rounds\n`); // scripts/stress.js reads it
  else if (code !== 0) process.stderr.write(`Long loops of this process had the seed ${order.seed}.\n`);
});
