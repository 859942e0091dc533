/** The effort that `thinking` asks for. */
export function effortFor(thinking: string): string {
  const word = thinking.toLowerCase();
  return word === 'off' || word === 'false' ? 'none' : word;
}
