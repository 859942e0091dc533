import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { atLevel, bundleOfBytes, locate, type Bundle, type Family, type Issue } from '../core/index.ts';
import { targetOf } from '../skills/discover/links.ts';
import { descriptorsOf, skillsRoot, type Root } from '../skills/discover/listing.ts';
import { standardRoots } from '../skills/discover/roots.ts';
import {
  bareDisk,
  readCandidate,
  type DescriptorCandidate,
  type RootedCandidate,
} from '../skills/discover/scan-state.ts';
import { scan } from '../skills/discover/scan.ts';
import type { SkillLimits } from '../skills/limits.ts';

/** The verdict on one descriptor, or on a path where no descriptor could be read. */
export interface Validation {
  readonly path: string;
  readonly valid: boolean;
  readonly issues: readonly Issue[];
}

/** Options for validation. */
export interface ValidateOptions {
  readonly families: readonly Family[];
  readonly limits: SkillLimits;
  /** Whether to treat violations of the open standard as errors instead of warnings. */
  readonly strict: boolean;
  /** Folders outside all roots that symbolic links may point to. */
  readonly allowSymlinkTargets?: readonly string[];
}

/** Validates every descriptor at or below the given paths once, using the same functions that load them. */
export function validatePaths(paths: readonly string[], options: ValidateOptions): readonly Validation[] {
  const results = paths.flatMap((path) => validatePath(resolve(path), options));
  return [...new Map(results.map((result) => [result.path, result])).values()];
}

/** Validates every descriptor below the given roots. */
export function validateRoots(roots: readonly Root[], options: ValidateOptions): readonly Validation[] {
  return validateBelow(roots, options, () => true).results;
}

function validatePath(path: string, options: ValidateOptions): readonly Validation[] {
  const target = targetOf(path);
  if (target === undefined) return [nothing(path, 'No readable file or folder was found at this path.')];
  if (target.kind !== 'folder') return [validateFile(path, options)];
  const inside = standardRoots({ startDir: path, searchUpwards: false }, options.families);
  const isWorkspace = inside.some((root) => root.kind === skillsRoot && existsSync(root.path));
  const roots = isBundle(path, options)
    ? [rootAt(path)]
    : [...(isWorkspace ? [] : ownedRoot(path, options)), ...inside, rootAt(path)];
  // In a workspace, a Markdown file is not a skill just because it has frontmatter.
  const isSkill = ({ loose, root }: RootedCandidate): boolean =>
    !(isWorkspace && loose && root.path === path);
  const { results, descriptors } = validateBelow(roots, options, isSkill);
  return descriptors === 0 ? [...results, nothing(path, 'No descriptor was found at this path.')] : results;
}

function rootAt(path: string, kind = skillsRoot): Root {
  return { path, source: 'explicit', kind };
}

/** Returns the folder as a skill root of the family that owns it, or an empty list if no family does. */
function ownedRoot(path: string, options: ValidateOptions): readonly Root[] {
  const kind = ownedFolderOf(path, options);
  return kind === undefined ? [] : [rootAt(path, kind)];
}

/**
 * Returns the name of the nearest family-owned folder on a path, or undefined if a `skills` folder is nearer.
 */
function ownedFolderOf(path: string, { families }: ValidateOptions): string | undefined {
  const { byFolder } = descriptorsOf(families);
  const nearest = path.split(sep).findLast((part) => part === skillsRoot || byFolder.has(part));
  return nearest === skillsRoot ? undefined : nearest;
}

function isBundle(path: string, { families }: ValidateOptions): boolean {
  const { byFile } = descriptorsOf(families);
  try {
    return readdirSync(path).some((name) => byFile.has(name.toLowerCase()));
  } catch {
    return false; // Folders that cannot be listed are already reported by the scan.
  }
}

/**
 * Validates the descriptors below the given roots. Issues found while scanning are added to the verdict on
 * their descriptor; all others get a separate verdict.
 */
function validateBelow(
  roots: readonly Root[],
  options: ValidateOptions,
  isSkill: (candidate: RootedCandidate) => boolean,
): { readonly results: readonly Validation[]; readonly descriptors: number } {
  const { found, issues } = scan(roots, { ...options, disk: bareDisk(options.limits) });
  const walked = Map.groupBy(issues, (issue) => issue.file ?? '');
  const descriptors = found.filter(isSkill).flatMap((candidate) => {
    const own = findIssues(candidate, options);
    if (own === undefined) return [];
    const here = walked.get(candidate.file) ?? [];
    walked.delete(candidate.file);
    return [verdict(candidate.file, [...own, ...here], options)];
  });
  const others = [...walked].map(([path, own]) => verdict(path, own.map(asUnusable), options));
  return { results: [...descriptors, ...others], descriptors: descriptors.length };
}

const notRead = new Set<Issue['code']>(['scan.not-a-file', 'scan.link-outside', 'scan.unreadable']);

/**
 * Changes issues about unreadable files to errors. When skills are loaded, these files are skipped with a
 * warning, but a validator must reject them.
 */
function asUnusable(issue: Issue): Issue {
  return notRead.has(issue.code) ? atLevel(issue, 'error') : issue;
}

function validateFile(file: string, options: ValidateOptions): Validation {
  const { byFile, byFolder, loose } = descriptorsOf(options.families);
  const own = byFile.get(basename(file).toLowerCase())?.family;
  const folder = ownedFolderOf(dirname(file), options);
  const family = own ?? (folder === undefined ? loose : byFolder.get(folder));
  if (family === undefined || !/\.md$/i.test(file)) return nothing(file, 'This file is not a descriptor.');
  const stem = own === undefined ? basename(file).replace(/\.md$/i, '') : basename(dirname(file));
  const location = { dir: dirname(file), file, stem, loose: own === undefined };
  const issues = findIssues(
    { ...location, realFile: realpathSync(file), family, refuseHardLinks: true },
    options,
  );
  if (issues === undefined) return nothing(file, 'The file has no frontmatter, so it is not a skill.');
  return verdict(file, issues, options);
}

/** Returns a descriptor's parse and lint issues, or undefined if a loose file is not a skill. */
function findIssues(
  candidate: DescriptorCandidate,
  { limits }: ValidateOptions,
): readonly Issue[] | undefined {
  const { draft, opened } = readCandidate(candidate, limits);
  if (draft === undefined) return undefined;
  if (opened === undefined || opened.stats.size > limits.descriptorBytes) return draft.issues;
  const bundle = bundleOfBytes(opened.bytes, candidate, limits);
  return [
    ...draft.issues,
    ...(candidate.family.authoring?.lint?.(bundle) ?? []),
    ...specErrors(candidate, bundle),
  ];
}

/**
 * Returns errors in the specs that a skill's code is generated from. The doctor checks the generated code
 * itself.
 */
function specErrors({ family, dir }: DescriptorCandidate, bundle: Bundle): readonly Issue[] {
  const definition = family.generation?.inspect === undefined ? undefined : family.parse(bundle).definition;
  const issues =
    definition === undefined ? [] : (family.generation?.inspect?.(definition, dir)?.issues ?? []);
  return issues.filter(({ level, code }) => level === 'error' && code.startsWith('spec.'));
}

function verdict(path: string, issues: readonly Issue[], { strict }: ValidateOptions): Validation {
  const found = locate(issues, path).map((issue) =>
    strict && issue.standard === true ? atLevel(issue, 'error') : issue,
  );
  return { path, valid: found.every((issue) => issue.level !== 'error'), issues: found };
}

function nothing(path: string, message: string): Validation {
  const hint = 'Specify a skill folder, a folder of skills or a descriptor.';
  return {
    path,
    valid: false,
    issues: [{ level: 'error', code: 'validate.nothing', message, file: path, hint }],
  };
}
