/** Text with the letters A to Z in lower case and all others as they are, as databases fold it on any machine. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
