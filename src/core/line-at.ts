/** The one-based line of a place in a text. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next >= 0 && next < offset; next = text.indexOf('\n', next + 1)) line++;
  return line;
}
