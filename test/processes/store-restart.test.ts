import { after, test } from 'node:test';
import { until } from '../support/deadline.ts';
import { startOwnPostgres } from '../support/postgres.ts';
import { runAcrossRestart } from './store-restart.ts';

const server = await startOwnPostgres();
after(() => server?.[Symbol.asyncDispose]());
const skip = server === undefined && 'PostgreSQL is not installed';

test(
  'PostgreSQL stops at once amid 12 runs and starts again: all end, each effect once',
  { skip },
  async () => {
    if (server === undefined) return;
    await runAcrossRestart(server, (effects) => until(() => effects.length > 30), 100);
  },
);
