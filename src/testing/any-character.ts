import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 }; // halves of characters, which are none by themselves

/** Any character of Unicode, as the unit of a string: those of fast-check's `binary`, without the second that its table takes. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - surrogates.count })
  .map((place) => String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count));
