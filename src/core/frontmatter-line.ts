// A quoted key, or up to four plain words, before a colon that a blank or the end of the line follows.
const field =
  /^(?:"([^"]+)"|'([^']+)'|([\p{L}_][\p{L}\p{M}\p{N}_.-]*(?: [\p{L}\p{M}\p{N}_.-]+){0,3})) *:(?=\s|$)/u;

/** The key that a line of frontmatter starts with, as written; undefined when the line starts no field. */
export function fieldKey(line: string): string | undefined {
  const found = field.exec(line);
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

/** Whether a line is a plain closing or opening fence. */
export function isFence(line: string): boolean {
  return line.startsWith('---') && /^---[ \t]*$/.test(line);
}

/** Whether a line is what version control leaves where two edits met. */
export function isConflictMarker(line: string): boolean {
  return /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/.test(line);
}
