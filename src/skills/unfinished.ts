import type { Draft } from './draft.ts';

/** Keeps the last whole version of a descriptor in place while the next one is being written. */
export interface Holding {
  /** Whether what was read of a file, last changed at `mtime`, may take the place of what was there before. */
  mayTake(path: string, fresh: Draft | undefined, before: Draft | undefined, mtime: number): boolean;
  /** What was held back since the last call, and must be looked at again. */
  release(): readonly string[];
}

/** Milliseconds without a change after which a file counts as written, and the longest wait under constant change. */
const quiet = 25;
const patience = 5_000;

/** Milliseconds after which a file that looks cut off is taken for what it is. */
const cutPatience = 1_000;

/** What a new file looks like while its beginning is being written. */
const cutSigns = new Set(['frontmatter.unclosed', 'descriptor.empty', 'description.derived']);

/** Nothing held back yet. */
export function holdUnfinished(): Holding {
  let before = new Map<string, number>();
  let held = new Map<string, number>();
  return {
    mayTake(path, fresh, last, mtime) {
      const now = Date.now();
      const age = now - mtime; // a stamp from the future tells nothing
      const isWriting = age >= 0 && (age < quiet || (age < cutPatience && looksCut(fresh, last)));
      const since = before.get(path) ?? now;
      if (!isWriting || now - since >= patience) return true;
      held.set(path, since);
      return false;
    },
    release() {
      before = held;
      held = new Map();
      return [...before.keys()];
    },
  };
}

/** A change that makes a file worse than it was may be half of one that does not. */
function looksCut(fresh: Draft | undefined, before: Draft | undefined): boolean {
  if (before === undefined) return fresh?.issues.some(({ code }) => cutSigns.has(code)) === true;
  const known = new Set(before.issues.map(({ code }) => code));
  return fresh?.issues.every(({ code }) => known.has(code)) !== true;
}
