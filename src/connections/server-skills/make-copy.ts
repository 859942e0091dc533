import { hash } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { untilAborted } from '../../core/async.ts';
import type { ReadFile, Reading } from './read-offer.ts';
import { beginCopy, type Shelf } from './shelf.ts';
import { hasCopy, readCopy, writeCopy, type SkillOrigin } from './skill-copy.ts';
import type { OfferedFile } from './skill-offer.ts';

/** A skill that shall be in a copy. */
export interface Wanted {
  readonly name: string;
  readonly origin: SkillOrigin;
  readonly files: readonly OfferedFile[];
  /** Gets its files from the server, or what is wrong with them. */
  readonly read: (signal: AbortSignal) => Promise<Reading>;
}

/** A copy on a shelf, and what is not in it. */
export interface Copy {
  /** Its name on the shelf; none where nothing could be taken. */
  readonly name: string | undefined;
  readonly refused: readonly { readonly wanted: Wanted; readonly why: string }[];
}

const atOnce = 4;

/**
 * The skills as one folder on the shelf. What the copy before has is taken from there, and where it has all, it stays;
 * another one is built beside it and moved into place when it is whole.
 */
export async function makeCopy(
  shelf: Shelf,
  server: string,
  all: readonly Wanted[],
  before: string | undefined,
  signal: AbortSignal,
): Promise<Copy> {
  const earlier = before === undefined ? undefined : join(shelf.folder, before, server);
  if (earlier !== undefined && isSameCopy(earlier, all)) return { name: before, refused: [] };
  const building = beginCopy(shelf);
  try {
    const refused: { wanted: Wanted; why: string }[] = [];
    const reading = eachOf(all, signal, async (wanted, until) => {
      const known = earlier === undefined ? undefined : knownFiles(join(earlier, wanted.name), wanted);
      const files = known ?? (await wanted.read(until));
      if (typeof files === 'string') refused.push({ wanted, why: files });
      else if (!until.aborted) writeCopy(join(building, server, wanted.name), files, wanted.origin);
    });
    await untilAborted(signal, reading);
    const taken = all.filter((wanted) => refused.every((other) => other.wanted !== wanted));
    return { name: taken.length === 0 ? undefined : putInPlace(shelf, server, building, taken), refused };
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

function isSameCopy(folder: string, all: readonly Wanted[]): boolean {
  if (!existsSync(folder) || readdirSync(folder).length !== all.length) return false;
  return all.every(({ name, files, origin }) => hasCopy(join(folder, name), files, origin));
}

function knownFiles(bundle: string, { files, origin }: Wanted): readonly ReadFile[] | undefined {
  return hasCopy(bundle, files, origin) ? readCopy(bundle, files) : undefined;
}

/** A few at once; the first that fails stops the others. */
async function eachOf<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const line = items.values();
  const worker = async (): Promise<void> => {
    for (const item of line) {
      until.throwIfAborted();
      await work(item, until);
    }
  };
  const workers = Array.from({ length: atOnce }, () =>
    worker().catch((thrown: unknown) => {
      stop.abort(thrown);
    }),
  );
  await Promise.all(workers);
  until.throwIfAborted();
}

/** Another process may have made the same one meanwhile; one that is not whole any more is replaced. */
function putInPlace(shelf: Shelf, server: string, building: string, taken: readonly Wanted[]): string {
  const versions = taken.map(({ name, origin }) => [name, origin.manifest, origin.identity]);
  const name = hash('sha256', JSON.stringify([server, versions])).slice(0, 32);
  const place = join(shelf.folder, name);
  if (isSameCopy(join(place, server), taken)) return name;
  rmSync(place, { recursive: true, force: true });
  try {
    renameSync(building, place);
  } catch (thrown) {
    if (!isSameCopy(join(place, server), taken)) throw thrown; // else another process was faster
  }
  return name;
}
