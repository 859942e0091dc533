import type { Dirty } from './dirty.ts';
import { isUnchanged, type Memo } from './memo.ts';

const slice = 250;

/** Looks at everything the memo knows, a slice at a time, and marks what is not as it was; false when stopped. */
export async function sweep(memo: Memo, dirty: Dirty, isOpen: () => boolean): Promise<boolean> {
  let count = 0;
  for (const known of [memo.folders, memo.files]) {
    for (const [path, { print }] of [...known]) {
      if (!isUnchanged(print, path)) dirty.add(path);
      if (++count % slice !== 0) continue;
      await new Promise((resolve) => setImmediate(resolve));
      if (!isOpen()) return false;
    }
  }
  return true;
}
