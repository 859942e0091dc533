import type { ApprovalRequest } from '../../core/policy.ts';
import { visible } from '../../core/text.ts';
import { oneLine } from '../output/text.ts';

/** Leave for more than the one call that is asked about. */
export interface LongerLeave {
  /** The answer that gives it. */
  readonly allow: 'run' | 'version';
  /** By which it is given at a terminal. */
  readonly key: 'r' | 'a';
  /** By which it is given on a command line. */
  readonly flag: '--run' | '--always';
  /** What would be allowed, and for whom or how long. */
  readonly what: string;
}

/** What a person may allow beyond this once, with the rule that would be kept; nothing for what is asked about each time. Pure. */
export function longerLeave({ rule, each, version }: ApprovalRequest): readonly LongerLeave[] {
  if (each === true) return [];
  const shown = visible(rule);
  const forRun = { allow: 'run', key: 'r', flag: '--run', what: `${shown} in this run` } as const;
  if (version === undefined) return [forRun];
  const whose = `${oneLine(version.skill)} until its files change (version ${shortDigest(version.digest)})`;
  return [forRun, { allow: 'version', key: 'a', flag: '--always', what: `${shown} for ${whose}` }];
}

function shortDigest(digest: string): string {
  return oneLine(digest)
    .replace(/^sha256:/, '')
    .slice(0, 12);
}
