import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

// Works on the generated code of a skill until it is killed, or until it kills itself in the middle of something.

/** What a worker is to do. */
export type GenerationOrder =
  /** Makes the code anew again and again, with another text each time. */
  | { readonly dir: string; readonly task: 'again'; readonly text: string }
  /** Makes it once, and dies before it changes the disk for the so-manieth time after `from` was reached. */
  | { readonly dir: string; readonly task: 'once'; readonly text: string; readonly dieAt: number }
  /** Finishes what another one left, and dies in the same way. */
  | { readonly dir: string; readonly task: 'settle'; readonly dieAt: number }
  /** Holds the lock. */
  | { readonly dir: string; readonly task: 'hold' };

const order = JSON.parse(process.argv[2] ?? '') as GenerationOrder;
let left = Number.POSITIVE_INFINITY;
const changing = [
  'renameSync',
  'rmSync',
  'rmdirSync',
  'writeFileSync',
  'fsyncSync',
  'mkdirSync',
  'unlinkSync',
] as const;
for (const name of changing) dieIn(name);
syncBuiltinESMExports();

function dieIn(name: (typeof changing)[number]): void {
  const real = fs[name] as (...given: unknown[]) => unknown;
  const mortal = (...given: unknown[]): unknown => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return real(...given);
  };
  Object.assign(fs, { [name]: mortal });
}

const { generate } = await import('../support/generation-stage.ts');
const { settleGeneration } = await import('../../src/generation/settle.ts');
const { withGeneration } = await import('../../src/generation/with-generation.ts');

const say = (word: string): void => void process.stdout.write(`${word}\n`);
const { dir } = order;
if (order.task === 'hold') {
  await withGeneration(dir, { signal: new AbortController().signal }, async () => {
    say('held');
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  });
} else if (order.task === 'settle') {
  left = order.dieAt;
  await settleGeneration(dir);
} else if (order.task === 'once') {
  const beforeSwap = (): void => void (left = order.dieAt);
  await generate(dir, { force: true, text: () => order.text, beforeSwap });
} else {
  for (let turn = 0; ; turn++) {
    await generate(dir, { force: true, text: (target) => `${order.text} ${turn} ${target.length}` });
    if (turn === 0) say('begun');
  }
}
