import { locate, type Issue } from '../../core/index.ts';
import { bareDisk, type ScanDisk, type RootedCandidate, type ScanOptions } from './scan-state.ts';
import type { Draft } from './draft.ts';
import type { SkillLimits } from '../limits.ts';
import type { Root } from './listing.ts';
import { scan } from './scan.ts';

/** A descriptor that was found and read. */
export interface Discovered {
  readonly found: RootedCandidate;
  readonly draft: Draft;
}

/** Finds and reads the descriptors below the roots, in order of precedence. Reads each file once. */
export function discover(
  roots: readonly Root[],
  options: Omit<ScanOptions, 'disk'> & Partial<Pick<ScanOptions, 'disk'>>,
): { readonly discovered: readonly Discovered[]; readonly issues: readonly Issue[] } {
  const disk = options.disk ?? bareDisk(options.limits);
  const { found, issues } = scan(roots, { ...options, disk });
  const read = readFound(found, disk.read, options.limits);
  return { discovered: read.discovered, issues: [...issues, ...read.issues] };
}

/**
 * Reads the descriptors that a scan found. Reads at most the maximum number of usable skills from each
 * source.
 */
export function readFound(
  found: readonly RootedCandidate[],
  read: ScanDisk['read'],
  limits: SkillLimits,
): { readonly discovered: readonly Discovered[]; readonly issues: readonly Issue[] } {
  const discovered: Discovered[] = [];
  const taken = new Map<string, number>();
  const issues: Issue[] = [];
  for (const candidate of found) {
    const { source } = candidate.root;
    const count = taken.get(source) ?? 0;
    if (count > limits.maxSkillsPerSource) continue;
    const draft = read(candidate);
    if (draft === undefined) continue;
    if (draft.usable) {
      taken.set(source, count + 1);
      if (count === limits.maxSkillsPerSource) {
        issues.push(tooMany(source, candidate.root.path, limits.maxSkillsPerSource));
        continue;
      }
    }
    discovered.push(discoveredAt(candidate, draft));
  }
  return { discovered, issues };
}

/** Returns a descriptor with its draft. Adds the file to the draft's issues. */
export function discoveredAt(candidate: RootedCandidate, draft: Draft): Discovered {
  const located = locate(draft.issues, candidate.file);
  return {
    found: candidate,
    draft: located === draft.issues ? draft : { ...draft, issues: located },
  };
}

function tooMany(source: string, root: string, most: number): Issue {
  return {
    level: 'warning',
    code: 'scan.limit',
    message: `The ${source} source has more than ${most} skills; the rest are skipped.`,
    file: root,
    hint: 'Raise limits.maxSkillsPerSource, or use fewer roots.',
  };
}
