import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { hash } from 'node:crypto';
import {
  bundleOfBytes,
  detach,
  hasErrors,
  type Bundle,
  type DescriptorLocation,
  type Family,
  type Issue,
  type SkillCard,
} from '../../core/index.ts';
import type { SkillLimits } from '../limits.ts';

/** The data of a descriptor that is kept after reading, without its body and its definition. */
export interface Draft {
  /** The declared name as written. Empty if the descriptor declares no name. */
  readonly name: string;
  readonly card: SkillCard;
  readonly issues: readonly Issue[];
  readonly usable: boolean;
  /** A collision-resistant hash of the descriptor's bytes. Empty if nothing was read. */
  readonly sum: string;
}

/** The bytes of a descriptor and the stats of its file. Opening the next descriptor overwrites the bytes. */
export interface OpenedDescriptor {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

// A buffer that all descriptors share, because allocating a new one takes longer than reading a descriptor.
let shared = Buffer.allocUnsafeSlow(65_536);

/**
 * Reads a descriptor with a single file handle. Never follows links, waits for a FIFO or reads beyond the
 * limit.
 */
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

/** Returns the draft of a descriptor. Returns undefined if it is a loose file without a skill. */
export function draftOf(
  opened: OpenedDescriptor,
  location: DescriptorLocation,
  family: Family,
  limits: SkillLimits,
): Draft | undefined {
  const bundle = bundleOfBytes(opened.bytes, location, limits);
  if (location.loose && location.command !== true && !bundle.head.present) return undefined;
  if (opened.stats.size > limits.descriptorBytes) return unusable(tooLarge(opened.stats.size, limits));
  return draftOfBundle(bundle, family, sumOf(opened.bytes));
}

/** Returns the hash that identifies a descriptor's bytes. */
export function sumOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64url');
}

/**
 * Returns the draft of a bundle. The draft is unusable if the parser reports an error. `list`, `show`,
 * `doctor` and `validate` all use this verdict.
 */
export function draftOfBundle(bundle: Bundle, family: Family, sum = ''): Draft {
  const { name, card, definition, issues } = family.parse(bundle);
  const usable = definition !== undefined && !hasErrors(issues);
  return { name: detach(name), card: detach(card), issues, usable, sum };
}

/** Creates an unusable draft with the given issue as the reason. */
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
