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
