import { isUtf8 } from 'node:buffer';
import type { Issue } from './issue.ts';

/** Text from bytes as people save them: UTF-8 with or without BOM, UTF-16 with BOM; bad bytes become U+FFFD. */
export function decodeText(bytes: Uint8Array, issues: Issue[]): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16('utf-16le', bytes, issues);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16('utf-16be', bytes, issues);
  if (!isUtf8(bytes)) issues.push(badBytes('UTF-8'));
  return withoutByteOrderMark(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), issues);
}

/** The text without the byte order marks it starts with. */
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

/** The text with LF as its only line end. */
export function toLf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** The finding for bytes that are no valid UTF-8. */
export function notUtf8(): Issue {
  return badBytes('UTF-8');
}

function badBytes(encoding: string): Issue {
  return {
    level: 'warning',
    code: 'text.encoding',
    message: `The file is not valid ${encoding}; the bytes that are wrong were replaced.`,
    hint: 'Save the file as UTF-8.',
  };
}

function decodeUtf16(encoding: 'utf-16le' | 'utf-16be', bytes: Uint8Array, issues: Issue[]): string {
  issues.push({
    level: 'info',
    code: 'text.encoding',
    message: `The file is ${encoding.toUpperCase()}, read by its byte order mark.`,
    hint: 'Save the file as UTF-8 for other tools.',
    standard: true,
  });
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes('\ufffd')) issues.push(badBytes(encoding.toUpperCase()));
  return text;
}

/** The one-based line of a place in a text. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next >= 0 && next < offset; next = text.indexOf('\n', next + 1)) line++;
  return line;
}

/** Compares two texts as `<` does, for `sort`: the same on every machine, whatever its language. */
export function byCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A text in which nothing can end an element of this name, or begin another; the name has letters and underscores only. Pure. */
export function withinElement(text: string, name: string): string {
  return text.replace(new RegExp(`<(?=\\s*(?:/\\s*${name}|${name}\\b))`, 'gi'), '&lt;');
}

// Controls, line ends, halves of pairs, what has no width or turns the text around, and blanks that a shell takes for letters.
const unseen = /(?! )[\p{Cc}\p{Cs}\p{Z}\u2800\p{Default_Ignorable_Code_Point}]/gu;

/** Text on one line in which nothing hides: what cannot be seen is spelled out, as `\n` or `\u{200b}`. Pure. */
export function visible(text: string): string {
  return text.replace(unseen, (letter) =>
    letter === '\n' ? '\\n' : `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

// Controls other than tab and line ends; zero-width, bidirectional and filler characters, variation selectors, tags.
const hidden = /[[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\t\n\r]]/v;
// Joiners and selectors where writing needs them: in emoji, and in scripts whose letters join.
const ordinaryJoiners =
  /(?<=\p{Emoji})[\ufe0e\ufe0f]|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d|(?<=[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Default_Ignorable_Code_Point}]])[\u200c\u200d]/gv;

/** Whether a name holds characters that a reader cannot see. */
export function hasHiddenCharacters(name: string): boolean {
  return hidden.test(name);
}

/** Whether prose holds characters that a reader cannot see; the joiners of emoji and of joining scripts are ordinary. */
export function hidesText(text: string): boolean {
  if (/^[\t\n\r\x20-\x7e]*$/.test(text)) return false; // the usual case, at a tenth of the cost
  return hidden.test(text) && hidden.test(text.replace(ordinaryJoiners, ''));
}

// An ordinary joiner is the only hidden character that is matched as a group, and so can be told from the rest.
const joinerOrUnseen = new RegExp(`(${ordinaryJoiners.source})|${hidden.source}|[\\ufffe\\uffff]`, 'gv');

/** The text without what a reader cannot see and XML cannot hold; it is well-formed, and tabs and line ends stay. */
export function withoutHidden(text: string): string {
  if (/^[\t\n\r\x20-\x7e]*$/.test(text)) return text;
  return text.toWellFormed().replace(joinerOrUnseen, (_, joiner: string | undefined) => joiner ?? '');
}

// Lower-case Cyrillic, Greek and other letters that look like a Latin one.
// prettier-ignore
const lookalikes: Readonly<Record<string, string>> = {
  а: 'a', ɑ: 'a', α: 'a', ь: 'b', с: 'c', ϲ: 'c', ԁ: 'd', е: 'e', ҽ: 'e', ɡ: 'g', һ: 'h', і: 'i', ı: 'i', ι: 'i',
  ј: 'j', к: 'k', κ: 'k', ӏ: 'l', ɩ: 'i', м: 'm', п: 'n', ո: 'n', η: 'n', о: 'o', ο: 'o', σ: 'o', օ: 'o', р: 'p',
  ρ: 'p', ԛ: 'q', г: 'r', ѕ: 's', т: 't', τ: 't', υ: 'u', ս: 'u', ν: 'v', ѵ: 'v', ԝ: 'w', ѡ: 'w', х: 'x', χ: 'x',
  у: 'y', γ: 'y', ү: 'y', ᴢ: 'z',
};

/** The name as it looks: letters of other scripts replaced by the Latin letter they resemble. */
export function skeletonOf(name: string): string {
  // eslint-disable-next-line no-control-regex -- ASCII is the point
  if (/^[\x00-\x7f]*$/.test(name)) return name;
  return Array.from(name, (letter) => lookalikes[letter] ?? letter).join('');
}

const lookalikeScripts = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/** Why a written name could pass for another one, or undefined when it is what it looks like. */
export function whyDeceptive(written: string): string | undefined {
  if (hasHiddenCharacters(written)) return 'it holds characters that cannot be seen';
  const words = written.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.some((word) => word.normalize('NFKC') !== word) || Array.from(written).some(isDressedLetter))
    return 'it is written with look-alike forms of ordinary letters';
  if (words.some((word) => /\p{Script=Latin}/u.test(word) && lookalikeScripts.test(word))) {
    return 'it mixes Latin letters with look-alikes from another script';
  }
  return undefined;
}

/** Whether a sign that is no letter reads as some, as those in circles and squares and those of units do. */
function isDressedLetter(sign: string): boolean {
  return /[\p{S}\u2126\u212a\u212b]/u.test(sign) && /[\p{L}\p{N}]/u.test(sign.normalize('NFKC'));
}
