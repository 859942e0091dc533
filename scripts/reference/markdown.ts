/** The beginning of a page that is made and not written. */
export function pageHead(title: string, from: string): string {
  return `# ${title}\n\n<!-- Made from ${from}: change that, then type "npm run docs". -->\n`;
}

/** A table; cells are Markdown. A column in which nothing stands is left out. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(cellOf))];
  const isUsed = head.map((_name, column) => rows.some((row) => row[column] !== ''));
  const used = lines.map((cells) => cells.filter((_cell, column) => isUsed[column]));
  return used
    .map((cells) => `|${cells.map((cell) => (cell === '' ? ' |' : ` ${cell} |`)).join('')}\n`)
    .join('');
}

/** A piece of code in a line. */
export function codeOf(text: string): string {
  return `\`${text}\``;
}

/** Code in lines of its own. */
export function fenceOf(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\`\n`;
}

/** Words of plain text as Markdown: commands, flags and placeholders become code. */
export function markedUp(plain: string): string {
  return plain.replace(
    /"(skilled [^"]+)"|((?:--|[@/])?<[^>]+>|--[a-z][a-z-]*|[\w./*]*[*<][\w./*]*)/g,
    (_whole, command?: string, token?: string) => codeOf(command ?? token ?? ''),
  );
}

function cellOf(text: string): string {
  return text
    .replace(/(?<!\\)\|/g, '\\|')
    .replace(/\s+/g, ' ')
    .trim();
}
