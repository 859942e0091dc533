import { AgentError } from '../core/error.ts';
import type { Family } from '../core/family.ts';
import { bareDisk } from '../skills/discover/scan-state.ts';
import type { SkillLimits } from '../skills/limits.ts';
import { skillsRoot, type Root } from '../skills/discover/listing.ts';
import { standardRoots } from '../skills/discover/roots.ts';
import { targetOf } from '../skills/discover/links.ts';
import { scan } from '../skills/discover/scan.ts';
import { auditFile } from './audit/audit-file.ts';
import { contentsOf } from './audit/contents.ts';
import { compareFindings, type Finding } from './audit/finding.ts';
import { findingsAboutUnread } from './audit/unread.ts';

/** What was found in one bundle, or in one file that is a skill by itself. */
export interface Audit {
  readonly path: string;
  /** The gravest first. */
  readonly findings: readonly Finding[];
}

/** What is needed to find the bundles in a folder. */
export interface AuditOptions {
  readonly families: readonly Family[];
  readonly limits: SkillLimits;
  /** Folders into which links may lead although they lie outside every root. */
  readonly allowSymlinkTargets?: readonly string[];
}

/** Whether somebody should look before they trust it: something weighs more than low. */
export function isWorrying(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity !== 'low');
}

/** What is worth a look in all files of a bundle, or in one file; the gravest first. It reads, and runs nothing. */
export function auditBundle(path: string): readonly Finding[] {
  const { files, unread } = contentsOf(path);
  const found = files.flatMap((file) => auditFile(file, unread));
  return [...found, ...findingsAboutUnread(unread, path)].sort(compareFindings);
}

/** Audits a bundle, every bundle in a folder, or a file; a folder without a bundle is taken as one. */
export function auditPath(path: string, options: AuditOptions): readonly Audit[] {
  const target = targetOf(path);
  if (target === undefined || target.kind === 'other') {
    const hint = 'Name a skill folder, a folder of skills or a file.';
    throw new AgentError('usage.not-found', `There is nothing at "${path}" that can be read.`, { hint });
  }
  if (target.kind === 'file') return [{ path, findings: auditBundle(path) }];
  const here: Root = { path, source: 'explicit', kind: skillsRoot };
  const inside = standardRoots({ startDir: path, searchUpwards: false }, options.families);
  const audits = auditRoots([here, ...inside], options);
  return audits.length > 0 ? audits : [{ path, findings: auditBundle(path) }];
}

/** Audits every bundle below the given roots, each once. */
export function auditRoots(roots: readonly Root[], options: AuditOptions): readonly Audit[] {
  const { found } = scan(roots, { ...options, disk: bareDisk(options.limits) });
  const paths = new Map(
    found.map(({ loose, file, realFile, dir, realDir }) => (loose ? [realFile, file] : [realDir, dir])),
  );
  return [...paths.values()].map((path) => ({ path, findings: auditBundle(path) }));
}
