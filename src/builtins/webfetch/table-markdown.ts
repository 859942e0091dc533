/** A table of Markdown; its first row is the head. Rows of a single cell are lines of text. */
export function tableMarkdown(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell !== ''));
  const columns = filled.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns < 2) return filled.map((row) => row.join('')).join('\n');
  const [head = [], ...body] = filled;
  const wide = [...head, ...Array.from({ length: columns - head.length }, () => '')];
  return [wide, wide.map(() => '---'), ...body].map(lineOf).join('\n');
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
