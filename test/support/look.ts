import { relative } from 'node:path';
import type { Issue } from '../../src/core/issue.ts';
import { builtinFamilies } from '../../src/families/index.ts';
import { bareDisk, type RootedCandidate, type ScanOptions } from '../../src/skills/discover/scan-state.ts';
import { defaultSkillLimits, type SkillLimits } from '../../src/skills/limits.ts';
import type { Root } from '../../src/skills/discover/listing.ts';
import { scan } from '../../src/skills/discover/scan.ts';

/** Options for a scan. All are optional. */
export type LookOptions = Partial<Omit<ScanOptions, 'limits'>> & { readonly limits?: Partial<SkillLimits> };

/** The result of a scan in a form that is easy to compare. Paths are relative to a base folder. */
export interface Look {
  /** The descriptors, in the order in which they were found. */
  readonly files: readonly string[];
  /** One `code path` string for each issue. */
  readonly diagnostics: readonly string[];
  readonly found: readonly RootedCandidate[];
  readonly issues: readonly Issue[];
}

/** Returns a root of skills. The default source is the most permissive one. */
export function skillsAt(path: string, source: Root['source'] = 'user'): Root {
  return { path, source, kind: 'skills' };
}

/** Returns a root of subagents. */
export function agentsAt(path: string, source: Root['source'] = 'user'): Root {
  return { path, source, kind: 'agents' };
}

/** Returns the options of a scan, with all defaults filled in. */
export function scanOptions(options: LookOptions = {}): ScanOptions {
  const limits = { ...defaultSkillLimits, ...options.limits };
  return { families: builtinFamilies, disk: bareDisk(limits), ...options, limits };
}

/** Scans roots and returns paths relative to the base folder. */
export function look(base: string, roots: readonly Root[], options: LookOptions = {}): Look {
  const { found, issues } = scan(roots, scanOptions(options));
  return {
    files: found.map(({ file }) => relative(base, file)),
    diagnostics: issues.map(({ code, file }) => `${code} ${relative(base, file ?? '')}`),
    found,
    issues,
  };
}
