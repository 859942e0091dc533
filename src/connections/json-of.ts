/** What a server said, as JSON; empty when it nests deeper than can be written. */
export function jsonOf(said: unknown): string {
  try {
    return JSON.stringify(said);
  } catch {
    return ''; // deeper than it can be written
  }
}
