import { statSync } from 'node:fs';
import type { Candidate } from './disk.ts';
import type { Draft } from './draft.ts';
import type { Memo } from './memo.ts';

/** A reader that keeps the last whole version of a descriptor while the next one is being written. */
export interface Holding {
  read(candidate: Candidate): Draft | undefined;
  /** Descriptors that must be looked at again, and from now on none. */
  paths(): readonly string[];
}

/** Milliseconds after which a file that looks unfinished is taken for what it is. */
const patience = 1_000;

const signs = new Set(['frontmatter.unclosed', 'descriptor.empty']);

/** Holds back drafts of files that were changed just now and end in the middle of their head. */
export function holdUnfinished(memo: Memo): Holding {
  let held = new Set<string>();
  return {
    read(candidate) {
      const path = candidate.realFile;
      const before = memo.files.get(path);
      const draft = memo.read(candidate);
      if (draft === before?.draft || !looksUnfinished(draft, path)) return draft;
      held.add(path);
      if (before === undefined) memo.files.delete(path);
      else memo.files.set(path, before);
      return before?.draft;
    },
    paths() {
      const paths = [...held];
      held = new Set();
      return paths;
    },
  };
}

function looksUnfinished(draft: Draft | undefined, path: string): boolean {
  if (draft?.issues.some((issue) => signs.has(issue.code)) !== true) return false;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs < patience;
}
