import { reasonOf } from '../core/error.ts';
import type { Family } from '../core/family.ts';
import type { Place } from '../core/descriptor/bundle.ts';
import { draftOf, openDescriptor, unusable, type Draft } from './draft.ts';
import { readListing, type Listing } from './listing.ts';
import type { SkillLimits } from './limits.ts';

/** A descriptor that was found, before it is read. */
export interface Candidate extends Place {
  /** The file to open: `file`, or what it links to. */
  readonly realFile: string;
  readonly family: Family;
  /** Set where a descriptor with a second name in the file system is refused. */
  readonly refuseHardLinks: boolean;
}

/** How the scanner looks at the disk; a memo may answer instead of it. */
export interface Disk {
  /** Throws what the file system throws. */
  list(dir: string): Listing;
  /** Never throws; undefined when a loose file turns out to be no skill. */
  read(candidate: Candidate): Draft | undefined;
}

/** The disk itself, nothing remembered. */
export function bareDisk(limits: SkillLimits): Disk {
  return { list: readListing, read: (candidate) => readCandidate(candidate, limits).draft };
}

/** Opens and parses a candidate; what goes wrong becomes an unusable draft. */
export function readCandidate(
  candidate: Candidate,
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
