import { test } from 'node:test';
import { openLoops } from '../stress/stress.ts';
import { countInThree } from './session-turns.ts';
import { sharedStores } from './stores.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 5, full: 20 }); // turns of each process
const { folder, kinds } = await sharedStores();

for (const { name, skip, locate } of kinds)
  for (const as of ['prompts', 'calls'] as const)
    test(`${name}: no update is lost in 60 ${as} of three processes in one session`, { skip }, async () => {
      let round = 0;
      await loop.sizes(async (turns) => {
        const session = `${as}-${name}-${++round}`;
        const effects = as === 'calls' ? '' : folder.at(`${session}.effects`);
        await countInThree({
          store: locate(session),
          session,
          effects,
          cache: folder.at('cache'),
          turns,
          as,
        });
      });
    });
