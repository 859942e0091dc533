import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { bundleOfBytes, type Place } from '../core/bundle.ts';
import type { Family } from '../core/family.ts';
import { atLevel, locate, type Issue } from '../core/issue.ts';
import { descriptorsOf } from '../skills/descriptors.ts';
import { bareDisk, readCandidate } from '../skills/disk.ts';
import type { SkillLimits } from '../skills/limits.ts';
import { skillsRoot, type Root } from '../skills/root.ts';
import { scan } from '../skills/scan.ts';
import type { Found } from '../skills/scan-state.ts';

/** The verdict on one descriptor. */
export interface Validation {
  readonly path: string;
  readonly valid: boolean;
  readonly issues: readonly Issue[];
}

/** How to validate. */
export interface ValidateOptions {
  readonly families: readonly Family[];
  readonly limits: SkillLimits;
  /** What the open standard forbids is an error, not a warning. */
  readonly strict: boolean;
}

/** Validates every descriptor at or below the given paths, with the functions that load them. */
export function validatePaths(paths: readonly string[], options: ValidateOptions): readonly Validation[] {
  return paths.flatMap((path) => validatePath(resolve(path), options));
}

/** Validates every descriptor below the given roots. */
export function validateRoots(roots: readonly Root[], options: ValidateOptions): readonly Validation[] {
  const { found, issues } = scan(roots, { ...options, disk: bareDisk(options.limits) });
  const results = found.flatMap((candidate) => validateFound(candidate, options));
  const scanned = Map.groupBy(issues, (issue) => issue.file ?? '');
  return [...results, ...[...scanned].map(([path, own]) => verdict(path, own, options))];
}

function validatePath(path: string, options: ValidateOptions): readonly Validation[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [nothing(path, 'There is nothing at this path.')];
  if (!stats.isDirectory()) return [validateFile(path, options)];
  const { byFolder } = descriptorsOf(options.families);
  const kind = byFolder.has(basename(path)) ? basename(path) : skillsRoot;
  const results = validateRoots([{ path, source: 'user', kind }], options);
  return results.length === 0 ? [nothing(path, 'No descriptor was found here.')] : results;
}

function validateFile(file: string, options: ValidateOptions): Validation {
  const { byFile, byFolder, loose } = descriptorsOf(options.families);
  const own = byFile.get(basename(file).toLowerCase())?.family;
  const owner = dirname(file).split('/').map((part) => byFolder.get(part)).find((family) => family !== undefined);
  const family = own ?? owner ?? loose;
  if (family === undefined || !/\.md$/i.test(file)) return nothing(file, 'This is not a descriptor.');
  const stem = own === undefined ? basename(file).replace(/\.md$/i, '') : basename(dirname(file));
  const place: Place = { dir: dirname(file), file, stem, loose: own === undefined };
  const results = validateFound({ ...place, realFile: file, family, refuseHardLinks: false }, options);
  return results[0] ?? nothing(file, 'The file has no frontmatter, so it is not a skill.');
}

function validateFound(candidate: Omit<Found, 'root' | 'group'>, options: ValidateOptions): readonly Validation[] {
  const { draft, opened } = readCandidate(candidate, options.limits);
  if (draft === undefined) return [];
  const lint = opened === undefined || opened.stats.size > options.limits.descriptorBytes ? [] : lintOf(candidate, opened.bytes, options);
  return [verdict(candidate.file, [...draft.issues, ...lint], options)];
}

function lintOf(candidate: Omit<Found, 'root' | 'group'>, bytes: Buffer, options: ValidateOptions): readonly Issue[] {
  return candidate.family.lint?.(bundleOfBytes(bytes, candidate, options.limits)) ?? [];
}

function verdict(path: string, issues: readonly Issue[], options: ValidateOptions): Validation {
  const found = locate(issues, path).map((issue) => (options.strict && issue.standard === true ? atLevel(issue, 'error') : issue));
  return { path, valid: found.every((issue) => issue.level !== 'error'), issues: found };
}

function nothing(path: string, message: string): Validation {
  const hint = 'Name a skill folder, a folder of skills or a descriptor.';
  return { path, valid: false, issues: [{ level: 'error', code: 'validate.nothing', message, file: path, hint }] };
}
