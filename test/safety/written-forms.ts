/** Returns a text and its encoded forms, alone or within other text. */
export function writtenForms(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const encoded = [0, 1, 2].map((shift) => bytes.subarray(shift).toString('base64').slice(2, -4));
  return [text, bytes.toString('hex'), Array.from(text).reverse().join(''), ...encoded];
}
