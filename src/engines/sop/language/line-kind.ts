/** Whether a line begins a step. */
export function isDeclaration(line: string): boolean {
  return line.trimStart().startsWith('@');
}

/** Whether a line is a comment where one may stand. */
export function isComment(line: string): boolean {
  return line.trimStart().startsWith('#');
}

/** Whether there is nothing in a line. */
export function isBlank(line: string): boolean {
  return line.trim() === '';
}
