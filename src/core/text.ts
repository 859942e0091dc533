import { isUtf8 } from 'node:buffer';
import { lazy } from './collections.ts';
import type { Issue } from './issue.ts';
import type { Json } from './json.ts';

/** Decodes a text file: UTF-8 with or without a BOM, or UTF-16 with a BOM. Invalid bytes become U+FFFD. */
export function decodeText(bytes: Uint8Array, issues: Issue[]): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16('utf-16le', bytes, issues);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16('utf-16be', bytes, issues);
  if (!isUtf8(bytes)) issues.push(badBytes('UTF-8'));
  return withoutByteOrderMark(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), issues);
}

/** Removes leading byte order marks from the text. */
export function withoutByteOrderMark(text: string, issues: Issue[]): string {
  if (!text.startsWith('\ufeff')) return text;
  issues.push({
    level: 'info',
    code: 'text.bom',
    message: 'The file starts with a byte order mark.',
    standard: true,
  });
  return text.replace(/^\ufeff+/, '');
}

/**
 * Replaces a leading `~` in a path with the home folder. Returns the path unchanged if there is no home
 * folder. Pure.
 */
export function expandHome(path: string, home: string | undefined): string {
  return home !== undefined && /^~(?:[/\\]|$)/.test(path) ? `${home}${path.slice(1)}` : path;
}

/** Converts all line endings in the text to LF. */
export function toLf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/**
 * Removes all matching characters from the end of the text. Unlike `replace` with a pattern that ends in
 * `+$`, takes linear time even if the text contains many such characters elsewhere. Pure.
 */
export function trimEndOf(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Creates the issue for bytes that are not valid UTF-8. */
export function notUtf8(): Issue {
  return badBytes('UTF-8');
}

function badBytes(encoding: string): Issue {
  return {
    level: 'warning',
    code: 'text.encoding',
    message: `The file is not valid ${encoding}; invalid bytes were replaced.`,
    hint: 'Save the file as UTF-8.',
  };
}

function decodeUtf16(encoding: 'utf-16le' | 'utf-16be', bytes: Uint8Array, issues: Issue[]): string {
  issues.push({
    level: 'info',
    code: 'text.encoding',
    message: `The file is encoded as ${encoding.toUpperCase()}, according to its byte order mark.`,
    hint: 'Save the file as UTF-8 so that other tools can read it.',
    standard: true,
  });
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes('\ufffd')) issues.push(badBytes(encoding.toUpperCase()));
  return text;
}

/** Returns the one-based line number of an offset in the text. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next >= 0 && next < offset; next = text.indexOf('\n', next + 1)) line++;
  return line;
}

/**
 * Compares two strings like the operator `<`, for use with `sort`. The order is the same on every machine,
 * regardless of locale.
 */
export function byCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Escapes text so that it cannot open or close an element with the given name. `name` must consist of letters
 * and underscores only. Pure.
 */
export function withinElement(text: string, name: string): string {
  return text.replace(new RegExp(`<(?=\\s*(?:/\\s*${name}|${name}\\b))`, 'gi'), '&lt;');
}

// Matches control characters, line endings, lone surrogates, zero-width and bidirectional characters, and all
// spaces except the ordinary space.
const unseen = lazy(() => /(?! )[\p{Cc}\p{Cs}\p{Z}\u2800\p{Default_Ignorable_Code_Point}]/gu);

/** Returns the text on one line, with every invisible character escaped as `\n` or `\u{200b}`. Pure. */
export function visible(text: string): string {
  return text.replace(unseen(), (character) =>
    character === '\n' ? '\\n' : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

// Matches control characters other than tabs and line endings, as well as zero-width, bidirectional and
// filler characters, variation selectors and tags.
const hidden = lazy(() => /[[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\t\n\r]]/v);
// Matches legitimate joiners and variation selectors: those in emoji and in scripts with joining letters.
const ordinaryJoiners = lazy(
  () =>
    /(?<=\p{Emoji})[\ufe0e\ufe0f]|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d|(?<=[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Default_Ignorable_Code_Point}]])[\u200c\u200d]/gv,
);

/** Whether a name contains invisible characters. */
export function hasHiddenCharacters(name: string): boolean {
  return hidden().test(name);
}

/** Whether prose contains invisible characters. Joiners in emoji and joining scripts are ignored. */
export function hidesText(text: string): boolean {
  // Most text is plain ASCII, for which this check is ten times faster.
  if (/^[\t\n\r\x20-\x7e]*$/.test(text)) return false;
  return hidden().test(text) && hidden().test(text.replace(ordinaryJoiners(), ''));
}

// Matches invisible characters. Legitimate joiners are captured in a group, so that they can be kept.
const joinerOrUnseen = lazy(
  () => new RegExp(`(${ordinaryJoiners().source})|${hidden().source}|[\\ufffe\\uffff]`, 'gv'),
);

/**
 * Removes invisible characters and characters that XML does not allow. Keeps tabs and line endings. The
 * result is well-formed Unicode.
 */
export function withoutHidden(text: string): string {
  if (/^[\t\n\r\x20-\x7e]*$/.test(text)) return text;
  return text.toWellFormed().replace(joinerOrUnseen(), (_, joiner: string | undefined) => joiner ?? '');
}

// Lower-case Cyrillic, Greek and other letters that look like Latin letters.
// prettier-ignore
const lookalikes: Readonly<Record<string, string>> = {
  а: 'a', ɑ: 'a', α: 'a', ь: 'b', с: 'c', ϲ: 'c', ԁ: 'd', е: 'e', ҽ: 'e', ɡ: 'g', һ: 'h', і: 'i', ı: 'i', ι: 'i',
  ј: 'j', к: 'k', κ: 'k', ӏ: 'l', ɩ: 'i', м: 'm', п: 'n', ո: 'n', η: 'n', о: 'o', ο: 'o', σ: 'o', օ: 'o', р: 'p',
  ρ: 'p', ԛ: 'q', г: 'r', ѕ: 's', т: 't', τ: 't', υ: 'u', ս: 'u', ν: 'v', ѵ: 'v', ԝ: 'w', ѡ: 'w', х: 'x', χ: 'x',
  у: 'y', γ: 'y', ү: 'y', ᴢ: 'z',
};

/**
 * Returns the name as it appears to a reader, with letters from other scripts replaced by the Latin letters
 * they resemble.
 */
export function skeletonOf(name: string): string {
  // eslint-disable-next-line no-control-regex -- matches all ASCII characters
  if (/^[\x00-\x7f]*$/.test(name)) return name;
  return Array.from(name, (character) => lookalikes[character] ?? character).join('');
}

const lookalikeScripts = lazy(
  () => /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u,
);

/** Returns the reason why a name could be mistaken for another name, or undefined if there is none. */
export function whyDeceptive(written: string): string | undefined {
  if (hasHiddenCharacters(written)) return 'it contains invisible characters';
  const words = written.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.some((word) => word.normalize('NFKC') !== word) || Array.from(written).some(isDressedLetter))
    return 'it uses look-alike forms of ordinary letters';
  if (words.some((word) => /\p{Script=Latin}/u.test(word) && lookalikeScripts().test(word))) {
    return 'it mixes Latin letters with look-alikes from another script';
  }
  return undefined;
}

/**
 * Whether a symbol represents a letter or digit, such as a circled letter, a squared letter or a unit sign.
 */
function isDressedLetter(sign: string): boolean {
  return /[\p{S}\u2126\u212a\u212b]/u.test(sign) && /[\p{L}\p{N}]/u.test(sign.normalize('NFKC'));
}

/**
 * Returns the last `most` characters of the text. If characters were omitted, the first line says how many.
 */
export function endOf(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed();
  const cut = (text.length - most).toLocaleString('en');
  return `[${cut} characters before this were cut off]\n${text.slice(-most)}`.toWellFormed();
}

/** Formats a count with its noun, such as "1 record" or "1,200 records". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Shortens text to one line of at most `most` characters and removes hidden characters. Shortened text ends
 * with an ellipsis.
 */
export function cutText(text: string, most: number): string {
  const shown = visible(text.length > most * longestSpelling ? text.slice(0, most * longestSpelling) : text);
  const characters = Array.from(shown);
  if (characters.length <= most && text.length <= most * longestSpelling) return shown;
  return `${characters.slice(0, most - 1).join('')}…`;
}

const longestSpelling = 12; // The maximum number of UTF-16 units per character, including combining marks.
const longestQuote = 60;

/** Formats a value for a message: in quotes, on one line and shortened if it is long. */
export function quote(value: Json): string {
  const text = visible(typeof value === 'string' ? value.slice(0, longestQuote + 1) : JSON.stringify(value));
  return `"${text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text}"`;
}

/** Converts ASCII letters to lower case. Other letters are unchanged. */
export function foldText(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Compares strings by their UTF-8 bytes, which matches code point order. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
