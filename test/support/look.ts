import { relative } from 'node:path';
import type { Issue } from '../../src/core/issue.ts';
import { builtinFamilies } from '../../src/families/index.ts';
import { bareDisk, type RootedCandidate, type ScanOptions } from '../../src/skills/discover/scan-state.ts';
import { defaultSkillLimits, type SkillLimits } from '../../src/skills/limits.ts';
import type { Root } from '../../src/skills/discover/listing.ts';
import { scan } from '../../src/skills/discover/scan.ts';

/** What a test may say about a look at the disk. */
export type LookOptions = Partial<Omit<ScanOptions, 'limits'>> & { readonly limits?: Partial<SkillLimits> };

/** What a scan saw, in words that are short to compare: paths are relative to a base folder. */
export interface Look {
  /** The descriptors in the order found. */
  readonly files: readonly string[];
  /** Each finding as `code path`. */
  readonly diagnostics: readonly string[];
  readonly found: readonly RootedCandidate[];
  readonly issues: readonly Issue[];
}

/** A root of skills for a test; the source is the most permissive one unless said. */
export function skillsAt(path: string, source: Root['source'] = 'user'): Root {
  return { path, source, kind: 'skills' };
}

/** A root of subagents for a test. */
export function agentsAt(path: string, source: Root['source'] = 'user'): Root {
  return { path, source, kind: 'agents' };
}

/** The options of a scan with every default filled in. */
export function scanOptions(options: LookOptions = {}): ScanOptions {
  const limits = { ...defaultSkillLimits, ...options.limits };
  return { families: builtinFamilies, disk: bareDisk(limits), ...options, limits };
}

/** Scans roots; what it saw is told relative to a base folder. */
export function look(base: string, roots: readonly Root[], options: LookOptions = {}): Look {
  const { found, issues } = scan(roots, scanOptions(options));
  return {
    files: found.map(({ file }) => relative(base, file)),
    diagnostics: issues.map(({ code, file }) => `${code} ${relative(base, file ?? '')}`),
    found,
    issues,
  };
}
