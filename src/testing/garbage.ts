import fc from 'fast-check';

// Surrogates: code points that are not valid characters on their own.
const surrogates = { first: 0xd800, count: 0x800 };

/**
 * Generates any Unicode character. Equivalent to fast-check's `binary` unit, which takes a second to build
 * its table.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - surrogates.count })
  .map((index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count));

const pieces = [
  ...[
    '---\n',
    '---js\n',
    ' ---\n',
    '# ',
    '## ',
    '### ',
    '\n',
    '\n\n',
    '- ',
    '* ',
    '1. ',
    '> ',
    '  ',
    '\t',
    '\r\n',
    '\r',
  ],
  ...[
    '```json\n',
    '```\n',
    '~~~\n',
    '<!-- ',
    ' -->',
    '| a | b |\n',
    '===\n',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '"',
    "'",
    '`',
    '**',
  ],
  ...[
    'name: ',
    'description: ',
    'input:\n  ',
    'metadata: ',
    'allowed-tools: ',
    'type: object\n',
    '__proto__: ',
    'constructor: ',
  ],
  ...[
    '&a ',
    '*a ',
    '<<: ',
    '!!js/function ',
    '|\n',
    '>-\n',
    '~',
    'null',
    'true',
    '1.10',
    '-0',
    '1e999',
    ': ',
    ',',
    '@step run $x',
  ],
  ...[
    'word',
    'Ünïcode',
    '天气',
    '😀',
    '\u0000',
    '\ufeff',
    '\u2028',
    '\u202e',
    '\u200b',
    '\ud800',
    '\\',
    '$ARGUMENTS',
  ],
];

/** Generates text that consists mostly of broken markup. */
export const garbageText: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join('')),
  fc
    .array(fc.constantFrom(...pieces), { maxLength: 30 })
    .map((parts) => `---\n${parts.join('')}\n---\n# a\n`),
  fc.string({ unit: anyCharacter, maxLength: 400 }),
);

/** Generates arbitrary bytes. Some start with a byte order mark or a frontmatter delimiter. */
export const garbageBytes: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.constantFrom<number[]>([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff], [0x2d, 0x2d, 0x2d, 0x0a]),
    fc.uint8Array({ maxLength: 400 }),
  )
  .map(([mark, rest]) => Buffer.from([...mark, ...rest]));

/**
 * Generates damaged versions of a text: truncated, with changed bytes, with missing or reordered lines, or
 * with garbage between lines.
 */
export function damaged(text: string): fc.Arbitrary<Buffer> {
  const bytes = Buffer.from(text);
  const lines = text.split('\n');
  const position = fc.nat({ max: Math.max(0, bytes.length - 1) });
  return fc.oneof(
    position.map((end) => bytes.subarray(0, end)),
    fc.array(fc.tuple(position, fc.nat({ max: 255 })), { minLength: 1, maxLength: 8 }).map((flips) => {
      const copy = Buffer.from(bytes);
      for (const [at, value] of flips) copy[at] = value;
      return copy;
    }),
    fc.shuffledSubarray(lines).map((some) => Buffer.from(some.join('\n'))),
    fc
      .tuple(fc.nat({ max: lines.length }), garbageText)
      .map(([at, junk]) => Buffer.from([...lines.slice(0, at), junk, ...lines.slice(at)].join('\n'))),
  );
}

/**
 * Runs a check with `numRuns` generated values. If the check fails, reports the simplest value for which it
 * fails.
 */
export function forAny<Value>(
  values: fc.Arbitrary<Value>,
  numRuns: number,
  check: (value: Value) => unknown,
): void {
  fc.assert(
    fc.property(values, (value) => void check(value)),
    { numRuns },
  );
}
