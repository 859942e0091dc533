import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;

/**
 * Makes a file that only its owner may use, unless it is there; SQLite gives the files beside it the same mode. No link
 * in a `.skilled` folder is followed: it may have come with somebody else's project.
 */
export async function makeOwnFile(path: string): Promise<void> {
  const links = basename(dirname(path)) === '.skilled' ? O_NOFOLLOW : 0;
  await (await open(path, O_APPEND | O_CREAT | O_WRONLY | links, 0o600)).close();
}
