/** How the shell reads the place where a value is put. */
export interface ShellPlace {
  readonly quote: 'none' | 'single' | 'double';
  /** In how many substitutions with backticks it stands; each takes one level of backslashes away. */
  readonly backticks: number;
}

/** Writes a value so that the shell reads exactly it at a place, as a part of one word. Pure. */
export function quoteFor(value: string, { quote, backticks }: ShellPlace): string {
  let text = written(value, quote);
  for (let level = 0; level < backticks; level++) text = text.replace(/[\\`$]/g, '\\$&');
  return text;
}

function written(value: string, quote: ShellPlace['quote']): string {
  if (quote === 'double') return value.replace(/[\\"$`]/g, '\\$&');
  const inner = value.replaceAll("'", "'\\''");
  return quote === 'single' ? inner : `'${inner}'`;
}
