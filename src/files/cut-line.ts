/** Characters of a line that are shown. */
export const longestLine = 2000;

/** The beginning of a line that is too long to show, with what was left out; `length` is that of the whole line. */
export function cutLine(line: string, length = line.length): string {
  if (length <= longestLine) return line;
  const kept = line.slice(0, longestLine).replace(/[\ud800-\udbff]$/, '');
  return `${kept}… [${(length - kept.length).toLocaleString('en')} more characters]`;
}

/** Lines with their numbers, the first of which is `from`. */
export function numbered(lines: readonly string[], from: number): string {
  return lines.map((line, index) => `${String(from + index).padStart(6)}\t${line}`).join('\n');
}
