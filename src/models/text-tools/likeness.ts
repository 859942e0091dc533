/** Tells while a JSON text grows whether it begins like a call of one of the tools. */
export interface Likeness {
  /** What is known once this piece is there. */
  add(piece: string): 'yes' | 'no' | 'maybe';
}

/** How calls of these tools begin, without white space. */
export function beginningsOf(known: ReadonlySet<string>): readonly string[] {
  const named = [...known].flatMap((name) =>
    ['tool', 'name'].map((key) => `{"${key}":${JSON.stringify(name)}`),
  );
  const others = ['{"input":', '{"arguments":', '{"parameters":', '{"function":', '{"type":"function"'];
  return [...named, ...others].map(squeeze);
}

/** Each piece is looked at once; white space does not count. */
export function createLikeness(beginnings: readonly string[]): Likeness {
  let seen = '';
  return {
    add(piece) {
      seen += squeeze(piece);
      if (beginnings.some((beginning) => seen.startsWith(beginning))) return 'yes';
      return beginnings.some((beginning) => beginning.startsWith(seen)) ? 'maybe' : 'no';
    },
  };
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, '');
}
