/** The quotes around a place in a script. */
export type Quotes = 'none' | 'single' | 'double';

/** Writes a value so that the shell reads exactly it between such quotes, as a part of one word. Pure. */
export function quoteFor(value: string, quotes: Quotes): string {
  if (quotes === 'double') return value.replace(/[\\"$`]/g, '\\$&');
  const inner = value.replaceAll("'", "'\\''");
  return quotes === 'single' ? inner : `'${inner}'`;
}
