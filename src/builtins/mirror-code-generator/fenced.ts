/** A text as a fenced block that nothing in the text can close. */
export function fenced(text: string, language = ''): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 2);
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${text.endsWith('\n') || text === '' ? text : `${text}\n`}${marks}`;
}
