/**
 * Counts the commands in a body by looking only at its lines. Shares no code with the renderer, so that it
 * can verify the renderer. Ignores code blocks, indented code, quotations, tables and HTML at the start of a
 * line.
 */
export function countCommands(body: string): number {
  let count = 0;
  let fence = '';
  let isCommand = false;
  for (const line of body.split(/\r\n?|\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence !== '') {
      const isEnd = mark !== null && (mark[1] ?? '').startsWith(fence) && (mark[2] ?? '').trim() === '';
      if (isEnd && isCommand) count++;
      if (isEnd) fence = '';
      continue;
    }
    if (mark !== null && !(mark[2] ?? '').includes('`')) {
      fence = mark[1] ?? '';
      isCommand = /^```[ \t]*![ \t]*$/.test(line);
      continue;
    }
    if (/^(?: {4}|\t|\s*[>|<])/.test(line)) continue;
    count += line.match(/(?<!\S)!`[^`]+`(?!`)/g)?.length ?? 0;
  }
  return count;
}
