import { after } from 'node:test';
import { startPostgres } from '../support/postgres.ts';
import { tree, type Tree } from '../support/tree.ts';

/** A kind of store that processes share. */
export interface SharedStore {
  readonly name: string;
  /** The reason why its tests cannot run here, or false. */
  readonly skip: string | false;
  /** Returns its path or address. For files, each label gets a new one. */
  locate(label: string): string;
}

/** Opens a folder and the kinds of stores for one test file. They are removed when it ends. */
export async function sharedStores(): Promise<{ folder: Tree; kinds: readonly SharedStore[] }> {
  const folder = tree();
  const server = await startPostgres();
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  const skip = server === undefined && 'PostgreSQL is not installed';
  return {
    folder,
    kinds: [
      { name: 'SQLite', skip: false, locate: (label) => folder.at(`${label}.db`) },
      { name: 'PostgreSQL', skip, locate: () => server?.url ?? '' },
    ],
  };
}
