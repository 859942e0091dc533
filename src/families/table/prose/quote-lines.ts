/** Words of an author as a quotation in Markdown, out of which nothing in them leads. Pure. */
export function quoteLines(text: string): string {
  return text
    .trim()
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}
