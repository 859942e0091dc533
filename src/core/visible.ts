// Controls, line ends, halves of pairs, what has no width or turns the text around, and blanks that a shell takes for letters.
const unseen = /(?! )[\p{Cc}\p{Cs}\p{Z}\u2800\p{Default_Ignorable_Code_Point}]/gu;

/** Text on one line in which nothing hides: what cannot be seen is spelled out, as `\n` or `\u{200b}`. Pure. */
export function visible(text: string): string {
  return text.replace(unseen, (letter) =>
    letter === '\n' ? '\\n' : `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
