import { open } from 'node:fs/promises';

/** Makes a file that only its owner may use, unless it is there; SQLite gives the files beside it the same mode. */
export async function makeOwnFile(path: string): Promise<void> {
  await (await open(path, 'a', 0o600)).close();
}
