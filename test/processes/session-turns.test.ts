import { test } from 'node:test';
import { countInThree } from './session-turns.ts';
import { sharedStores } from './stores.ts';

const { folder, kinds } = await sharedStores();

for (const { name, skip, locate } of kinds)
  test(
    `${name}: three processes take turns in one session, and none of their updates is lost`,
    { skip },
    async () => {
      const [session, effects] = [`turns-${name}`, folder.at(`${name}.effects`)];
      await countInThree({ store: locate('turns'), session, effects, cache: folder.at('cache'), turns: 5 });
    },
  );
