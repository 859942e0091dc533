import { isRacy, isSame, isUnchanged, statsOf } from './fingerprint.ts';
import { doubtFolder, type WatchState } from './watch-state.ts';

/** Looks at the stamps of everything known, a step at a time, and marks what is not surely as it was. */
export function* sweepOver(state: WatchState): Generator<void> {
  const { known, dirty, contents } = state;
  for (const [dir, { print }] of known.folders) {
    const now = statsOf(dir);
    if (now === undefined || !isSame(print, now)) doubtFolder(dir, state);
    else if (isRacy(print, print.at)) dirty.add(dir);
    yield;
  }
  for (const [file, { print }] of known.files) {
    if (!isUnchanged(print, file)) dirty.add(file);
    yield;
  }
  for (const bundle of contents.stale()) {
    if (bundle !== undefined) dirty.add(bundle);
    yield;
  }
}
