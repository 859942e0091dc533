import { parseFrontmatter, type Frontmatter } from './frontmatter.ts';
import type { Hook } from './hooks.ts';
import type { Issue } from '../issue.ts';
import { decodeText, notUtf8, toLf, withoutByteOrderMark } from '../text.ts';
import { defaultFrontmatterLimits, type FrontmatterLimits } from './yaml.ts';
import { isUtf8 } from 'node:buffer';

/**
 * A descriptor as its family receives it. The frontmatter has been parsed; the body is decoded on first use.
 */
export interface Bundle {
  /** The absolute path of the folder. Empty for text in memory. */
  readonly dir: string;
  /** The absolute path of the descriptor. Empty for text in memory. */
  readonly file: string;
  /** The fallback for a missing name: the folder's name, or a loose file's name without extension. */
  readonly stem: string;
  /** Whether the descriptor is a single file in a folder with other files. */
  readonly loose: boolean;
  /** Set if the descriptor is in a folder of commands. */
  readonly command?: true;
  readonly plugin?: SkillPlugin;
  readonly head: Frontmatter;
  /** The text after the frontmatter, with LF line endings. */
  readonly body: string;
  /** The full text as written, without a byte order mark. */
  readonly text: string;
  /** The issues found while decoding the descriptor. */
  readonly issues: readonly Issue[];
}

/** The location of a descriptor. */
export interface DescriptorLocation {
  readonly dir: string;
  readonly file: string;
  readonly stem: string;
  readonly loose: boolean;
  /** Set if the descriptor is in a folder of commands. */
  readonly command?: true;
  readonly plugin?: SkillPlugin;
}

/** The plugin that a skill belongs to. */
export interface SkillPlugin {
  /** The plugin's name, which qualifies the names of its skills. */
  readonly name: string;
  /** The absolute path of the plugin's folder. */
  readonly dir: string;
  /** The hooks that the plugin adds to each of its skills. */
  readonly hooks?: readonly Hook[];
}

/** The location of text that does not come from a file. */
export const nowhere: DescriptorLocation = { dir: '', file: '', stem: '', loose: true };

/** Creates a bundle from the bytes of a descriptor. Only the frontmatter is decoded immediately. */
export function bundleOfBytes(
  bytes: Buffer,
  location: DescriptorLocation,
  limits: FrontmatterLimits = defaultFrontmatterLimits,
): Bundle {
  const headEnd = endOfPlainHead(bytes);
  const headText = bytes.toString('utf8', 0, headEnd);
  const head = headEnd === 0 ? undefined : parseFrontmatter(headText, limits);
  if (head?.bodyStart !== headText.length) {
    const issues: Issue[] = [];
    return bundleOfText(decodeText(bytes, issues), location, limits, issues);
  }
  let body: string | undefined;
  return {
    ...location,
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

/** Creates a bundle from text in memory. */
export function bundleOfText(
  text: string,
  location: DescriptorLocation,
  limits: FrontmatterLimits = defaultFrontmatterLimits,
  issues: readonly Issue[] = [],
): Bundle {
  const found = [...issues];
  const clean = withoutByteOrderMark(text, found);
  const head = parseFrontmatter(clean, limits);
  return {
    ...location,
    head,
    issues: found,
    body: toLf(clean.slice(head.bodyStart, head.bodyEnd)),
    text: clean,
  };
}

/**
 * Returns the offset at which frontmatter between two plain `---` lines ends. Returns 0 if only the full
 * parser can find the end.
 */
function endOfPlainHead(bytes: Buffer): number {
  if (bytes[0] !== 0x2d || bytes[1] !== 0x2d || bytes[2] !== 0x2d || bytes[3] !== 0x0a) return 0;
  const close = bytes.indexOf('\n---', 3, 'latin1');
  if (close < 0) return 0;
  if (close + 4 === bytes.length) return bytes.length;
  return bytes[close + 4] === 0x0a ? close + 5 : 0;
}
