import { reasonOf, type DescriptorLocation, type Family, type Issue } from '../../core/index.ts';
import type { IgnoreRules } from '../../files/index.ts';
import type { SkillLimits } from '../limits.ts';
import { draftOf, openDescriptor, unusable, type Draft } from './draft.ts';
import { readListing, type Descriptors, type Listing, type Root } from './listing.ts';

/** A descriptor that was found in a root. */
export interface RootedCandidate extends DescriptorCandidate {
  readonly root: Root;
  /** The path of `dir`, with links resolved. */
  readonly realDir: string;
  /** The path from the root to the folder that contains the bundle or the file. Empty for the root itself. */
  readonly group: string;
}

/** Options for a scan. */
export interface ScanOptions {
  readonly families: readonly Family[];
  readonly limits: SkillLimits;
  readonly disk: ScanDisk;
  /** Folders outside all roots that links may point to. */
  readonly allowSymlinkTargets?: readonly string[];
}

/** The state of a scan, which all roots share. */
export interface Walk extends ScanOptions {
  readonly descriptors: Descriptors;
  /** The real paths of the folders that links may point to. */
  readonly allowed: readonly string[];
  /** The real paths of the descriptors that were found in any root. */
  readonly seenFiles: Set<string>;
  readonly issues: Issue[];
}

/** The state of the walk below one root. */
export interface RootWalk {
  readonly walk: Walk;
  readonly root: Root;
  readonly found: RootedCandidate[];
  /** The real paths of the folders that were already opened below this root. */
  readonly seenFolders: Set<string>;
  /** Links to folders, which are visited after everything else. */
  readonly links: { readonly folder: ScanFolder; readonly name: string }[];
  /** Descriptors that are links. They are processed last, so that a file is found at its own path first. */
  readonly linkedFiles: FoundDescriptor[];
  /** Folders that are too deep to visit. */
  readonly tooDeep: ScanFolder[];
  /** Whether the walk ended because it reached a limit. */
  full: boolean;
}

/** A folder visited by the walk. */
export interface ScanFolder {
  /** The absolute path of the folder, with links unresolved. */
  readonly path: string;
  readonly real: string;
  /** The depth of the folder below the root, which has depth 0. */
  readonly depth: number;
  readonly rules: IgnoreRules | undefined;
}

/** A descriptor in a visited folder. */
export interface FoundDescriptor {
  readonly folder: ScanFolder;
  readonly name: string;
  readonly family: Family;
  readonly loose: boolean;
  /** The target file, if the descriptor is a link. */
  readonly target: string | undefined;
}

/** Ends the walk below a root, and reports the limit that was reached. */
export function stopAt(limit: keyof SkillLimits, what: string, state: RootWalk): void {
  if (state.full) return;
  state.full = true;
  state.walk.issues.push(limitIssue(limit, `The root has ${what}; the rest are skipped.`, state.root.path));
}

/** Creates the issue for a limit that was reached. */
export function limitIssue(limit: keyof SkillLimits, message: string, file: string): Issue {
  return {
    level: 'warning',
    code: 'scan.limit',
    message,
    file,
    hint: `Raise limits.${limit}, or use a smaller folder.`,
  };
}

/** A descriptor that has not been read yet. */
export interface DescriptorCandidate extends DescriptorLocation {
  /** The file to open: `file`, or its target if it is a link. */
  readonly realFile: string;
  readonly family: Family;
  /** Whether to reject a descriptor with more than one hard link. */
  readonly refuseHardLinks: boolean;
}

/** Disk access for a scan. A cache can implement this interface. */
export interface ScanDisk {
  /** Lists a folder. Throws file system errors. */
  list(dir: string): Listing;
  /** Reads a descriptor. Returns undefined for a loose file without a skill. Never throws. */
  read(candidate: DescriptorCandidate): Draft | undefined;
}

/** Returns a disk reader without a cache. */
export function bareDisk(limits: SkillLimits): ScanDisk {
  return { list: readListing, read: (candidate) => readCandidate(candidate, limits).draft };
}

/** Reads a descriptor. If this fails, returns an unusable draft with the reason. */
export function readCandidate(
  candidate: DescriptorCandidate,
  limits: SkillLimits,
): { readonly draft: Draft | undefined; readonly opened?: ReturnType<typeof openDescriptor> } {
  try {
    const opened = openDescriptor(candidate.realFile, limits);
    const draft = draftOf(opened, candidate, candidate.family, limits);
    const isRefused = draft !== undefined && candidate.refuseHardLinks && opened.stats.nlink > 1;
    return isRefused ? { draft: unusable(hardLinked()) } : { draft, opened };
  } catch (thrown) {
    const reason = reasonOf(thrown);
    return {
      draft: unusable({
        level: 'error',
        code: 'descriptor.unreadable',
        message: `The descriptor cannot be read: ${reason}.`,
      }),
    };
  }
}

function hardLinked(): Parameters<typeof unusable>[0] {
  return {
    level: 'error',
    code: 'descriptor.hard-link',
    message: 'The descriptor has more than one hard link and is not loaded.',
    hint: 'Replace the descriptor with a copy.',
  };
}
