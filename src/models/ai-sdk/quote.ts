const most = 300; // characters of what somebody else wrote

/** The words of a provider as the rest of our sentence: one line, not too long, with an end. Pure. */
export function quote(words: string, otherwise: string): string {
  const line = words.replace(/\s+/g, ' ').trim() || otherwise;
  if (line.length > most) return `${line.slice(0, most).toWellFormed()}…`;
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}
