import { parseFrontmatter, type Frontmatter } from './frontmatter.ts';
import type { Issue } from '../issue.ts';
import { decodeText, notUtf8, toLf, withoutByteOrderMark } from '../text.ts';
import { defaultFrontmatterLimits, type FrontmatterLimits } from './yaml.ts';
import { isUtf8 } from 'node:buffer';

/** A descriptor as its family reads it: the head is parsed, the body is decoded when first looked at. */
export interface Bundle {
  /** Absolute folder; empty for text from memory. */
  readonly dir: string;
  /** Absolute path of the descriptor; empty for text from memory. */
  readonly file: string;
  /** The name the skill takes when it declares none: the folder, or the stem of a loose file. */
  readonly stem: string;
  /** A single file among others instead of a folder of its own. */
  readonly loose: boolean;
  readonly head: Frontmatter;
  /** The text after the head, line ends as LF. */
  readonly body: string;
  /** The whole text as written, without a byte order mark. */
  readonly text: string;
  /** Findings of decoding. */
  readonly issues: readonly Issue[];
}

/** Where a descriptor was found. */
export interface DescriptorLocation {
  readonly dir: string;
  readonly file: string;
  readonly stem: string;
  readonly loose: boolean;
}

/** The place of text that came from no file. */
export const nowhere: DescriptorLocation = { dir: '', file: '', stem: '', loose: true };

/** A bundle over the bytes of a descriptor; only the head is decoded now. */
export function bundleOfBytes(
  bytes: Buffer,
  place: DescriptorLocation,
  limits: FrontmatterLimits = defaultFrontmatterLimits,
): Bundle {
  const headEnd = endOfPlainHead(bytes);
  const headText = bytes.toString('utf8', 0, headEnd);
  const head = headEnd === 0 ? undefined : parseFrontmatter(headText, limits);
  if (head?.bodyStart !== headText.length) {
    const issues: Issue[] = [];
    return bundleOfText(decodeText(bytes, issues), place, limits, issues);
  }
  let body: string | undefined;
  return {
    ...place,
    head,
    issues: isUtf8(bytes) ? [] : [notUtf8()],
    get body() {
      return (body ??= toLf(bytes.toString('utf8', headEnd)));
    },
    get text() {
      return bytes.toString('utf8');
    },
  };
}

/** A bundle over text that is already in memory. */
export function bundleOfText(
  text: string,
  place: DescriptorLocation,
  limits: FrontmatterLimits = defaultFrontmatterLimits,
  issues: readonly Issue[] = [],
): Bundle {
  const found = [...issues];
  const clean = withoutByteOrderMark(text, found);
  const head = parseFrontmatter(clean, limits);
  return { ...place, head, issues: found, body: toLf(clean.slice(head.bodyStart)), text: clean };
}

/** The offset behind what looks like a whole head between two ordinary fences, or 0 when the text needs a closer look. */
function endOfPlainHead(bytes: Buffer): number {
  if (bytes[0] !== 0x2d || bytes[1] !== 0x2d || bytes[2] !== 0x2d || bytes[3] !== 0x0a) return 0;
  const close = bytes.indexOf('\n---', 3, 'latin1');
  if (close < 0) return 0;
  if (close + 4 === bytes.length) return bytes.length;
  return bytes[close + 4] === 0x0a ? close + 5 : 0;
}
