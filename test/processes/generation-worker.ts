import { withGeneration } from '../../src/generation/lock.ts';
import { generate } from '../support/generation-stage.ts';

// Generates the code of a skill until it is killed.

/** The worker's task: hold the lock, or generate the code again and again, with different text each time. */
export interface GenerationOrder {
  readonly dir: string;
  readonly task: 'hold' | 'again';
}

const { dir, task } = JSON.parse(process.argv[2] ?? '') as GenerationOrder;
if (task === 'hold') {
  await withGeneration(dir, { signal: new AbortController().signal }, async () => {
    process.stdout.write('held\n');
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  });
}
for (let turn = 0; ; turn++) {
  await generate(dir, { force: true, text: () => `${process.pid} ${turn}` });
  if (turn === 0) process.stdout.write('begun\n');
}
