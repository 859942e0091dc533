import { once } from 'node:events';
import { isAgentError } from '../../src/core/error.ts';
import type { NewEvent } from '../../src/core/event.ts';
import type { Epoch, Store } from '../../src/core/store.ts';
import { openPostgresStore } from '../../src/stores/postgres/store.ts';
import { openSqliteStore } from '../../src/stores/sqlite/store.ts';

/** Instructions for a writing process. */
export interface WriterOrder {
  readonly store: { readonly sqlite: string } | { readonly postgres: string };
  readonly name: string;
  readonly runId: string;
  /** The number of appends that must succeed. */
  readonly appends: number;
  /** Whether the process claims the run again each time it loses the claim. */
  readonly fights: boolean;
}

/** The final report of a writing process. It first sends `ready` and starts when the test replies. */
export interface WriterReport {
  /** The messages that the process appended, each with its sequence number. */
  readonly written: readonly (readonly [message: string, seq: number])[];
  readonly lostClaims: number;
}

if (process.send !== undefined) {
  const order = JSON.parse(process.argv[2] ?? '') as WriterOrder;
  const store = await open(order);
  process.send('ready');
  await once(process, 'message'); // the message makes all writers start together
  process.send(await write(order, store), () => process.disconnect());
}

async function write(order: WriterOrder, store: Store): Promise<WriterReport> {
  const { name, runId, appends, fights } = order;
  const written: [string, number][] = [];
  let lostClaims = 0;
  let epoch = await store.claim(runId, name);
  for (let index = 0; index < appends;) {
    const seq = await append(store, runId, epoch, `${name} ${index}`);
    if (seq !== undefined) {
      written.push([`${name} ${index}`, seq]);
      index += 1;
      continue;
    }
    if (!fights) throw new Error('Somebody took the run away.');
    lostClaims += 1;
    epoch = await store.claim(runId, name);
  }
  await store.close();
  return { written, lostClaims };
}

function open({ store }: WriterOrder): Promise<Store> {
  return 'sqlite' in store ? openSqliteStore(store.sqlite) : openPostgresStore(store.postgres);
}

async function append(
  store: Store,
  runId: string,
  epoch: Epoch,
  message: string,
): Promise<number | undefined> {
  const note: NewEvent = { frameId: '', at: Date.now(), type: 'note.added', key: 'n', message };
  const entries = ['last', message].map((key) => ({ space: runId, key, value: message }));
  try {
    return await store.append(runId, epoch, [note], entries);
  } catch (thrown) {
    if (isAgentError(thrown) && thrown.code === 'internal.claim-lost') return undefined;
    throw thrown;
  }
}
