import { locate, type Issue } from '../core/issue.ts';
import { bareDisk } from './disk.ts';
import type { Draft } from './draft.ts';
import type { Root } from './root.ts';
import { scan } from './scan.ts';
import type { Found, ScanOptions } from './scan-state.ts';

/** A descriptor that was found and read. */
export interface Discovered {
  readonly found: Found;
  readonly draft: Draft;
}

/** Files to drafts: every descriptor below the roots, read once, in order of precedence. */
export function discover(
  roots: readonly Root[],
  options: Omit<ScanOptions, 'disk'> & Partial<Pick<ScanOptions, 'disk'>>,
): { readonly discovered: readonly Discovered[]; readonly issues: readonly Issue[] } {
  const disk = options.disk ?? bareDisk(options.limits);
  const { found, issues } = scan(roots, { ...options, disk });
  const discovered: Discovered[] = [];
  const taken = new Map<string, number>();
  const more: Issue[] = [];
  for (const candidate of found) {
    const { source } = candidate.root;
    const count = taken.get(source) ?? 0;
    if (count > options.limits.maxSkillsPerSource) continue;
    const draft = disk.read(candidate);
    if (draft === undefined) continue;
    if (draft.usable) {
      taken.set(source, count + 1);
      if (count === options.limits.maxSkillsPerSource) {
        more.push(tooMany(source, candidate.root.path, options.limits.maxSkillsPerSource));
        continue;
      }
    }
    discovered.push({ found: candidate, draft: { ...draft, issues: locate(draft.issues, candidate.file) } });
  }
  return { discovered, issues: [...issues, ...more] };
}

function tooMany(source: string, root: string, most: number): Issue {
  return {
    level: 'warning',
    code: 'scan.limit',
    message: `The ${source} source has more than ${most} skills; the rest is left out.`,
    file: root,
    hint: 'Raise limits.maxSkillsPerSource, or name fewer roots.',
  };
}
