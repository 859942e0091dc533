/** Formats an author's text as a Markdown quotation that the text cannot break out of. Pure. */
export function quoteLines(text: string): string {
  return text
    .trim()
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}
