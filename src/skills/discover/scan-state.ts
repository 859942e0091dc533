import { reasonOf, type DescriptorLocation, type Family, type Issue } from '../../core/index.ts';
import type { IgnoreRules } from '../../files/index.ts';
import type { SkillLimits } from '../limits.ts';
import { draftOf, openDescriptor, unusable, type Draft } from './draft.ts';
import { readListing, type Descriptors, type Listing, type Root } from './listing.ts';

/** A candidate with the root it was found below. */
export interface RootedCandidate extends DescriptorCandidate {
  readonly root: Root;
  /** `dir` with every link resolved. */
  readonly realDir: string;
  /** The path from the root to the folder that holds the bundle or file; empty directly in the root. */
  readonly group: string;
}

/** What a scan needs beside the roots. */
export interface ScanOptions {
  readonly families: readonly Family[];
  readonly limits: SkillLimits;
  readonly disk: ScanDisk;
  /** Folders into which links may lead although they lie outside every root. */
  readonly allowSymlinkTargets?: readonly string[];
}

/** What one scan over all roots shares. */
export interface Walk extends ScanOptions {
  readonly descriptors: Descriptors;
  /** Real folders into which links may lead. */
  readonly allowed: readonly string[];
  /** Real paths of descriptors, over all roots. */
  readonly seenFiles: Set<string>;
  readonly issues: Issue[];
}

/** What the walk below one root keeps. */
export interface RootWalk {
  readonly walk: Walk;
  readonly root: Root;
  readonly found: RootedCandidate[];
  /** Real paths of folders already opened below this root. */
  readonly seenFolders: Set<string>;
  /** Links wait until everything that lies there itself was seen. */
  readonly links: { readonly folder: ScanFolder; readonly name: string }[];
  /** Descriptors that are links wait longest, so that each file is found where it lies. */
  readonly linkedFiles: FoundDescriptor[];
  /** Folders past the depth limit. */
  readonly tooDeep: ScanFolder[];
  /** Set when a limit ended the walk. */
  full: boolean;
}

/** A folder on the way. */
export interface ScanFolder {
  /** As reached from the root. */
  readonly path: string;
  readonly real: string;
  /** Depth 0 is the root. */
  readonly depth: number;
  readonly rules: IgnoreRules | undefined;
}

/** A descriptor in a folder on the way. */
export interface FoundDescriptor {
  readonly folder: ScanFolder;
  readonly name: string;
  readonly family: Family;
  readonly loose: boolean;
  /** Present when the name is a link: the file it leads to. */
  readonly target: string | undefined;
}

/** Ends the walk below a root and says which limit did it. */
export function stopAt(limit: keyof SkillLimits, what: string, state: RootWalk): void {
  if (state.full) return;
  state.full = true;
  state.walk.issues.push(
    limitIssue(limit, `The root has ${what}; the rest is not looked at.`, state.root.path),
  );
}

/** The finding for a limit that bit. */
export function limitIssue(limit: keyof SkillLimits, message: string, file: string): Issue {
  return {
    level: 'warning',
    code: 'scan.limit',
    message,
    file,
    hint: `Raise limits.${limit}, or name a smaller folder.`,
  };
}

/** A descriptor that was found, before it is read. */
export interface DescriptorCandidate extends DescriptorLocation {
  /** The file to open: `file`, or what it links to. */
  readonly realFile: string;
  readonly family: Family;
  /** Set where a descriptor with a second name in the file system is refused. */
  readonly refuseHardLinks: boolean;
}

/** How the scanner looks at the disk; a memo may answer instead of it. */
export interface ScanDisk {
  /** Throws what the file system throws. */
  list(dir: string): Listing;
  /** Never throws; undefined when a loose file turns out to be no skill. */
  read(candidate: DescriptorCandidate): Draft | undefined;
}

/** The disk itself, nothing remembered. */
export function bareDisk(limits: SkillLimits): ScanDisk {
  return { list: readListing, read: (candidate) => readCandidate(candidate, limits).draft };
}

/** Opens and parses a candidate; what goes wrong becomes an unusable draft. */
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
    message: 'The descriptor is a hard link to a file that lives elsewhere too, and is not read.',
    hint: 'Replace it with a copy.',
  };
}
