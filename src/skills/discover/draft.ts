import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { hash } from 'node:crypto';
import {
  bundleOfBytes,
  detach,
  type Bundle,
  type DescriptorLocation,
  type Family,
  type Issue,
  type SkillCard,
} from '../../core/index.ts';
import type { SkillLimits } from '../limits.ts';

/** What is kept of a descriptor after reading it: no body, no definition. */
export interface Draft {
  /** The declared name as written; empty when none is declared. */
  readonly name: string;
  readonly card: SkillCard;
  readonly issues: readonly Issue[];
  readonly usable: boolean;
  /** A hash of the bytes it was read from, of which nobody finds two for one; empty when nothing was read. */
  readonly sum: string;
}

/** A descriptor's bytes, valid until the next one is opened, and the state of its file when they were read. */
export interface OpenedDescriptor {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

// One buffer for all descriptors: an allocation for each costs more than reading it.
let shared = Buffer.allocUnsafeSlow(65_536);

/** Reads a descriptor through one open handle: never a link, never blocking on a FIFO, never past the limit. */
export function openDescriptor(file: string, limits: SkillLimits): OpenedDescriptor {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    const size = Math.min(stats.size, limits.descriptorBytes + 1);
    if (size > shared.length) shared = Buffer.allocUnsafeSlow(size);
    let length = 0;
    while (length < size) {
      const count = readSync(handle, shared, length, size - length, length);
      if (count === 0) break;
      length += count;
    }
    return { bytes: shared.subarray(0, length), stats };
  } finally {
    closeSync(handle);
  }
}

/** The draft of an opened descriptor; undefined when a loose file turns out to be no skill. */
export function draftOf(
  opened: OpenedDescriptor,
  place: DescriptorLocation,
  family: Family,
  limits: SkillLimits,
): Draft | undefined {
  const bundle = bundleOfBytes(opened.bytes, place, limits);
  if (place.loose && !bundle.head.present) return undefined;
  if (opened.stats.size > limits.descriptorBytes) return unusable(tooLarge(opened.stats.size, limits));
  return draftOfBundle(bundle, family, sumOf(opened.bytes));
}

/** What tells the bytes of a descriptor from any others. */
export function sumOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64url');
}

/** The draft of a bundle, whatever it was read from. */
export function draftOfBundle(bundle: Bundle, family: Family, sum = ''): Draft {
  const { name, card, definition, issues } = family.parse(bundle);
  return { name: detach(name), card: detach(card), issues, usable: definition !== undefined, sum };
}

/** A draft of something that cannot be used, with the finding that says why. */
export function unusable(issue: Issue): Draft {
  return { name: '', card: { description: '' }, issues: [issue], usable: false, sum: '' };
}

function tooLarge(size: number, limits: SkillLimits): Issue {
  return {
    level: 'error',
    code: 'descriptor.too-large',
    message: `The descriptor has ${size} bytes; at most ${limits.descriptorBytes} are read.`,
    hint: 'Move details into files beside it, or raise limits.descriptorBytes.',
  };
}
