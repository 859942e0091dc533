import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { systemCode } from './file-fault.ts';

/** What of a path is there. */
export interface Standing {
  /** The real path of the longest beginning that exists. */
  readonly real: string;
  /** The names after it; empty when everything exists. */
  readonly missing: readonly string[];
}

/** What of an absolute path is there, links followed; throws what the file system throws but for missing names. */
export function standingOf(path: string): Standing {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return { real: realpathSync.native(at), missing };
    } catch (thrown) {
      const isMissing = ['ENOENT', 'ENOTDIR'].includes(systemCode(thrown) ?? '');
      if (!isMissing || dirname(at) === at) throw thrown;
      missing.unshift(basename(at));
    }
  }
}
