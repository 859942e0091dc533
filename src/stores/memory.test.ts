import { afterEach, mock } from 'node:test';
import { storeContract } from '../testing/store-contract.ts';
import { createMemoryStore } from './memory.ts';

const realNow = Date.now;
let later = 0;

afterEach(() => {
  mock.restoreAll();
  later = 0;
});

storeContract('memory', async () => createMemoryStore(), {
  async pass(milliseconds) {
    later += milliseconds;
    mock.method(Date, 'now', () => realNow() + later);
  },
});
