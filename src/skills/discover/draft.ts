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

/** The data of a descriptor that is kept after reading, without the body and the definition. */
export interface Draft {
  /** The declared name as written. Empty if the descriptor declares no name. */
  readonly name: string;
  readonly card: SkillCard;
  readonly issues: readonly Issue[];
  readonly usable: boolean;
  /** A collision-resistant hash of the descriptor's bytes. Empty if nothing was read. */
  readonly sum: string;
}

/**
 * The bytes of a descriptor and the stats of its file. The bytes are overwritten when the next descriptor is
 * opened.
 */
export interface OpenedDescriptor {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

// One buffer for all descriptors, because allocating a buffer takes longer than reading a descriptor.
let shared = Buffer.allocUnsafeSlow(65_536);

/** Reads a descriptor through one open handle. Never follows a link, blocks on a FIFO or reads past the limit. */
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

/** Returns the draft of an opened descriptor, or undefined if a loose file is not a skill. */
export function draftOf(
  opened: OpenedDescriptor,
  location: DescriptorLocation,
  family: Family,
  limits: SkillLimits,
): Draft | undefined {
  const bundle = bundleOfBytes(opened.bytes, location, limits);
  if (location.loose && !bundle.head.present) return undefined;
  if (opened.stats.size > limits.descriptorBytes) return unusable(tooLarge(opened.stats.size, limits));
  return draftOfBundle(bundle, family, sumOf(opened.bytes));
}

/** Returns the hash that identifies a descriptor's bytes. */
export function sumOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64url');
}

/** Returns the draft of a bundle, regardless of its origin. */
export function draftOfBundle(bundle: Bundle, family: Family, sum = ''): Draft {
  const { name, card, definition, issues } = family.parse(bundle);
  return { name: detach(name), card: detach(card), issues, usable: definition !== undefined, sum };
}

/** Creates a draft that is marked as unusable, with an issue that states the reason. */
export function unusable(issue: Issue): Draft {
  return { name: '', card: { description: '' }, issues: [issue], usable: false, sum: '' };
}

function tooLarge(size: number, limits: SkillLimits): Issue {
  return {
    level: 'error',
    code: 'descriptor.too-large',
    message: `The descriptor has ${size} bytes; the limit is ${limits.descriptorBytes}.`,
    hint: 'Move details to other files in the skill folder, or raise limits.descriptorBytes.',
  };
}
