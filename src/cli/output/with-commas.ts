/** Parts of an enumeration: each but the last with a comma behind it. */
export function withCommas(parts: readonly string[]): readonly string[] {
  return parts.map((part, index) => (index < parts.length - 1 ? `${part},` : part));
}
