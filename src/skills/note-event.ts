import { basename } from 'node:path';
import { childOf } from '../files/paths.ts';
import { doubtFolder, type WatchState } from './watch-state.ts';

/** Marks what an event puts in doubt; false when it says nothing about skills. */
export function noteEvent(dir: string, name: string | undefined, kind: string, state: WatchState): boolean {
  const { known, dirty, watches, awaited, contents } = state;
  if (name === undefined) {
    doubtFolder(dir, state);
    dirty.addTree(dir);
    return true;
  }
  // The system reports the end or the move of a watched folder under the folder's own name.
  const mayBeItself = kind === 'rename' && (name === basename(dir) || awaited.isIn(dir));
  const isMoved = mayBeItself && (name === basename(dir) || watches.isReplaced(dir));
  if (isMoved) doubtFolder(dir, state);
  else if (!known.folders.has(dir) && !awaited.isAwaited(dir, name) && contents.bundlesAt(dir).length === 0)
    return false;
  dirty.add(dir);
  dirty.add(childOf(dir, name));
  return true;
}
