import { describe, test } from 'node:test';
import type { Store } from '../core/store.ts';
import { checkClaims } from './store-checks/claims.ts';
import { checkEvents } from './store-checks/events.ts';
import { checkHandles } from './store-checks/handles.ts';
import { checkLife } from './store-checks/life.ts';
import { checkListings } from './store-checks/listings.ts';
import { checkRetention } from './store-checks/retention.ts';
import { checkTime } from './store-checks/time.ts';
import { checkValues } from './store-checks/values.ts';

/** What else the contract can use of a store. */
export interface StoreFixtures {
  /** Opens what `open` opened last once more, for a store that several processes share. */
  readonly again?: () => Promise<Store>;
  /** Lets so many milliseconds pass for what `open` opened last, for example by making all its times older. */
  readonly pass?: (milliseconds: number) => Promise<void>;
  /** Runs of the random check; 25 unless given. */
  readonly runs?: number;
}

/** Registers the checks that every store passes; `open` gives an empty store each time, and each is closed again. */
export function storeContract(name: string, open: () => Promise<Store>, more: StoreFixtures = {}): void {
  const { again, pass, runs = 25 } = more;

  describe(`the ${name} store keeps the contract`, () => {
    checkClaims(open);
    checkEvents(open);
    checkListings(open);
    checkRetention(open);
    checkValues(open);
    checkLife(open);
    if (again !== undefined) checkHandles(open, again);
    if (pass !== undefined) checkTime(open, pass);
    test('any calls have the answers of the store in memory', async () => {
      const { checkAnyCalls } = await import('./store-checks/model.ts'); // only this one needs the package it loads
      await checkAnyCalls(open, runs);
    });
  });
}
