/** Tells while a JSON text grows whether it begins like a call of one of the tools. */
export interface Likeness {
  /** What is known once this piece is there. */
  add(piece: string): 'yes' | 'no' | 'maybe';
}

const otherBeginnings = [
  '{"input":',
  '{"arguments":',
  '{"parameters":',
  '{"function":',
  '{"type":"function"',
];

/** Each piece is looked at once; white space does not count. */
export function createLikeness(known: ReadonlySet<string>): Likeness {
  const named = [...known].flatMap((name) =>
    ['tool', 'name'].map((key) => `{"${key}":${JSON.stringify(name)}`),
  );
  const beginnings = [...named, ...otherBeginnings].map(squeeze);
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
