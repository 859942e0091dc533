import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import {
  atLevel,
  bundleOfBytes,
  hasErrors,
  locate,
  normaliseName,
  type Bundle,
  type Family,
  type Issue,
} from '../core/index.ts';
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
import { createToolCheck, type ToolLister } from '../skills/registry/list-issues.ts';
import { canonicalName } from '../skills/registry/lookup.ts';
import type { Registry } from '../skills/registry/registry.ts';
import { checkDescription } from './check-description.ts';
import { checkReferences } from './check-references.ts';
import { mergeIssues } from './merge-issues.ts';

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
  /** Whether to report violations of the open standard and problems with the content as errors. */
  readonly strict: boolean;
  /**
   * The roots from which skills are loaded. Files below these roots are validated in the same way as they are
   * loaded.
   */
  readonly roots?: readonly Root[];
  /** The tools and skills that tool lists can name. If this is absent, tool lists are not checked. */
  readonly registry?: Pick<Registry, 'skills' | 'lookup'>;
  /** Folders outside all roots that symbolic links may point to. */
  readonly allowSymlinkTargets?: readonly string[];
}

/**
 * Validates each descriptor at or below the given paths once, with the same functions that load descriptors.
 */
export function validatePaths(paths: readonly string[], options: ValidateOptions): readonly Validation[] {
  const results = paths.flatMap((path) => examinePath(resolve(path), options));
  return verdicts([...new Map(results.map((result) => [result.path, result])).values()], options);
}

/** Validates every descriptor below the given roots. */
export function validateRoots(roots: readonly Root[], options: ValidateOptions): readonly Validation[] {
  return verdicts(examineBelow(roots, options, () => true).results, options);
}

/** The issues found at a path, and the skill if the path is a descriptor. */
interface Examined {
  readonly path: string;
  readonly issues: readonly Issue[];
  readonly skill?: ToolLister & { readonly usable: boolean };
}

function examinePath(path: string, work: ValidateOptions): readonly Examined[] {
  const target = targetOf(path);
  if (target === undefined) return [nothing(path, 'No readable file or folder was found at this path.')];
  const isInside = (file: string): boolean => isAtOrBelow(file, path);
  const loaded = (work.roots ?? []).filter((root) => isInside(root.path) || isAtOrBelow(path, root.path));
  if (target.kind !== 'folder') {
    const { results } = examineBelow(loaded, work, ({ file }) => file === path);
    return [results.find((result) => result.path === path && result.skill) ?? examineFile(path, work)];
  }
  const inside = standardRoots({ startDir: path, searchUpwards: false }, work.families);
  const isWorkspace = inside.some((root) => root.kind === skillsRoot && existsSync(root.path));
  const roots = isBundle(path, work)
    ? [rootAt(path)]
    : [...(isWorkspace ? [] : ownedRoot(path, work)), ...inside, rootAt(path)];
  // In a workspace, frontmatter alone does not make a Markdown file a skill.
  const isSkill = ({ file, loose, root }: RootedCandidate): boolean =>
    isInside(file) && !(isWorkspace && loose && root.path === path && !loaded.includes(root));
  const { results, descriptors } = examineBelow([...loaded, ...roots], work, isSkill);
  const found = results.filter((result) => isInside(result.path));
  return descriptors === 0 ? [...found, nothing(path, 'No descriptor was found at this path.')] : found;
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function rootAt(path: string, kind = skillsRoot): Root {
  return { path, source: 'explicit', kind };
}

/**
 * Returns a folder as a skill root of the family that owns the folder, or an empty list if no family owns it.
 */
function ownedRoot(path: string, options: ValidateOptions): readonly Root[] {
  const kind = ownedFolderOf(path, options);
  return kind === undefined ? [] : [rootAt(path, kind)];
}

/**
 * Returns the name of the innermost folder on a path that belongs to a family, or undefined if a `skills`
 * folder is further inside.
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
 * Examines the descriptors below the given roots. An issue that was found while scanning is added to the
 * issues of its descriptor, or gets a result of its own if it concerns no descriptor.
 */
function examineBelow(
  roots: readonly Root[],
  work: ValidateOptions,
  isSkill: (candidate: RootedCandidate) => boolean,
): { readonly results: readonly Examined[]; readonly descriptors: number } {
  const { found, issues } = scan(roots, { ...work, disk: bareDisk(work.limits) });
  const walked = Map.groupBy(issues, (issue) => issue.file ?? '');
  const descriptors = found.filter(isSkill).flatMap((candidate) => {
    const examined = examineDescriptor(candidate, work);
    if (examined === undefined) return [];
    const here = walked.get(candidate.file) ?? [];
    walked.delete(candidate.file);
    return [{ ...examined, issues: [...examined.issues, ...here] }];
  });
  const others = [...walked].map(([path, own]) => ({ path, issues: own.map(asUnusable) }));
  return { results: [...descriptors, ...others], descriptors: descriptors.length };
}

const notRead = new Set<Issue['code']>(['scan.not-a-file', 'scan.link-outside', 'scan.unreadable']);

/**
 * Changes an issue about an unreadable file to an error. The loader only warns about such files and skips
 * them, but a validator must reject them.
 */
function asUnusable(issue: Issue): Issue {
  return notRead.has(issue.code) ? atLevel(issue, 'error') : issue;
}

function examineFile(file: string, work: ValidateOptions): Examined {
  const { byFile, byFolder, loose } = descriptorsOf(work.families);
  const own = byFile.get(basename(file).toLowerCase())?.family;
  const folder = ownedFolderOf(dirname(file), work);
  const family = own ?? (folder === undefined ? loose : byFolder.get(folder));
  if (family === undefined || !/\.md$/i.test(file)) return nothing(file, 'This file is not a descriptor.');
  const stem = own === undefined ? basename(file).replace(/\.md$/i, '') : basename(dirname(file));
  const location = { dir: dirname(file), file, stem, loose: own === undefined };
  const candidate = { ...location, realFile: realpathSync(file), family, refuseHardLinks: true };
  return (
    examineDescriptor(candidate, work) ?? nothing(file, 'The file has no frontmatter, so it is not a skill.')
  );
}

/**
 * Returns the issues with a descriptor, or undefined if the descriptor is a loose file that is not a skill.
 */
function examineDescriptor(candidate: DescriptorCandidate, work: ValidateOptions): Examined | undefined {
  const { limits, families } = work;
  const { draft, opened } = readCandidate(candidate, limits);
  if (draft === undefined) return undefined;
  const { file, family, stem } = candidate;
  const { card, usable } = draft;
  const skill = { name: canonicalName(draft.name, stem), file, card, usable };
  if (opened === undefined || opened.stats.size > limits.descriptorBytes)
    return { path: file, issues: draft.issues, skill };
  const bundle = bundleOfBytes(opened.bytes, candidate, limits);
  const issues = [
    ...mergeIssues(draft.issues, family.authoring?.lint?.(bundle) ?? []),
    ...checkDescription(card.description, bundle, families),
    ...checkReferences(bundle),
    ...specErrors(candidate, bundle),
  ];
  return { path: file, issues, skill };
}

/**
 * Returns the errors in the specs from which a skill's code is generated. The generated code itself is
 * checked by the doctor.
 */
function specErrors({ family, dir }: DescriptorCandidate, bundle: Bundle): readonly Issue[] {
  const definition = family.generation?.inspect === undefined ? undefined : family.parse(bundle).definition;
  const issues =
    definition === undefined ? [] : (family.generation?.inspect?.(definition, dir)?.issues ?? []);
  return issues.filter(({ level, code }) => level === 'error' && code.startsWith('spec.'));
}

/** Converts examined descriptors to verdicts. Their tool lists may also name other examined skills. */
function verdicts(
  results: readonly Examined[],
  { strict, registry }: ValidateOptions,
): readonly Validation[] {
  const names = new Set(results.map(({ skill }) => skill?.name));
  const check =
    registry === undefined
      ? undefined
      : createToolCheck(registry.skills, registry.lookup, (name) => names.has(normaliseName(name)));
  return results.map(({ path, issues, skill }) => {
    const tools = skill?.usable === true ? (check?.(skill) ?? []) : [];
    const found = locate([...issues, ...tools], path).map((issue) =>
      strict && issue.standard === true ? atLevel(issue, 'error') : issue,
    );
    return { path, valid: !hasErrors(found), issues: found };
  });
}

function nothing(path: string, message: string): Examined {
  const hint = 'Specify a skill folder, a folder of skills or a descriptor.';
  return {
    path,
    issues: [{ level: 'error', code: 'validate.nothing', message, file: path, hint }],
  };
}
