import { hash } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AgentError } from '../core/error.ts';
import { readStoreHead } from '../stores/store-file.ts';
import { knownStoresFile, readKnownStores, realFilePath } from './known-stores.ts';
import { quotedPath, refuseLinks } from './must-stay-in.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A store that was found in a workspace and was not made there by this user: history that can only be read. */
export interface ForeignStore {
  readonly file: string;
  /** Why it does not count, as one sentence. */
  readonly reason: string;
}

/**
 * Whether a store that was found in a workspace is somebody else's; undefined for one of this user, and where none is.
 * Throws `usage.bad-settings` for a link, and `sandbox.store` for a store of this user that is damaged: it is not made
 * again in silence.
 */
export function findForeign(file: string, environment: Environment): ForeignStore | undefined {
  refuseLinks(file);
  const head = readStoreHead(file);
  if (head.is === 'missing') return undefined;
  const path = realFilePath(file);
  const known = readKnownStores(environment);
  const here = known.find((one) => one.path === path);
  if (head.is === 'store' && head.id !== undefined && head.id === here?.id) {
    checkBeside(file);
    return undefined;
  }
  if (here !== undefined && head.is !== 'store')
    throw damagedStore(file, head.is === 'damaged' ? head.fault : 'is a link');
  return { file, reason: reasonFor() };

  function reasonFor(): string {
    const id = head.is === 'store' ? head.id : undefined;
    if (head.is === 'damaged') return `It was not made here, and it ${head.fault}.`;
    if (here !== undefined) return 'Another store was made here, and this one replaced it.';
    const elsewhere = known.find((one) => id !== undefined && one.id === id);
    if (elsewhere !== undefined) return `It was made at ${elsewhere.path}, and moved or copied to this path.`;
    if (id === undefined) return 'Nothing shows that you made it: it has no id, as stores of older versions.';
    return `It is not on your list of stores, ${knownStoresFile(environment) ?? 'for which there is no home folder'}.`;
  }
}

/** The store in the user's own folder that is used instead of a foreign one; throws where there is no such folder. */
export function storeInstead(foreign: ForeignStore, environment: Environment): string {
  const list = knownStoresFile(environment);
  if (list !== undefined)
    return join(dirname(list), 'stores', `${hash('sha256', realFilePath(foreign.file)).slice(0, 16)}.db`);
  throw new AgentError('sandbox.store', `${foreign.file} is not yours. ${foreign.reason}`, {
    hint: 'Name the store that you want to use in SKILLED_STORE, or set SKILLED_HOME to a folder of your own.',
  });
}

/**
 * SQLite writes what it finds in the files beside a database into it, and a pull could bring such a file. Ours have the
 * owner and the permissions of their store, which git does not give; and our stores have no rollback journal.
 */
function checkBeside(file: string): void {
  const [store, log] = [file, `${file}-wal`].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  const isOther =
    log !== undefined && (log.uid !== store?.uid || (log.mode & 0o777) !== (store.mode & 0o777));
  const strange = existsSync(`${file}-journal`) ? '-journal' : isOther ? '-wal' : undefined;
  if (strange === undefined) return;
  throw new AgentError('sandbox.store', `${file}${strange} was not made by skilled.`, {
    hint: `Remove it if you do not know it (\`rm ${quotedPath(`${file}${strange}`)}\`): it would change the store.`,
  });
}

function damagedStore(file: string, fault: string): AgentError {
  return new AgentError('sandbox.store', `The store ${file} is damaged: it ${fault}.`, {
    hint: `Restore it from a backup, or move it away and begin with an empty one: \`mv ${quotedPath(file)} ${quotedPath(`${file}.damaged`)}\``,
  });
}
