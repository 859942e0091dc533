import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that only this user sees, until it is taken away. */
export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

/** Makes a temporary folder on the host, for commands of a sandbox that are to find each other's files. */
export function makeTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'skilled-'));
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
