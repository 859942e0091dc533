/** Returns the heading of a generated page and a note on how to regenerate the page. */
export function pageHead(title: string, from: string): string {
  return `# ${title}\n\n<!-- Made from ${from}: change that, then type "npm run docs". -->\n`;
}

/** Formats a table from Markdown cells. Empty columns are omitted. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(cellOf))];
  const isUsed = head.map((_name, column) => rows.some((row) => row[column] !== ''));
  const used = lines.map((cells) => cells.filter((_cell, column) => isUsed[column]));
  return used
    .map((cells) => `|${cells.map((cell) => (cell === '' ? ' |' : ` ${cell} |`)).join('')}\n`)
    .join('');
}

/** Formats inline code. */
export function codeOf(text: string): string {
  return `\`${text}\``;
}

/** Formats a code block. */
export function fenceOf(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\`\n`;
}

/** Formats plain text as Markdown. Commands, flags and placeholders become code. */
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
