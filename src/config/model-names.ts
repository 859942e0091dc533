/** One model, or several with commas between them: the later ones are asked when those before fail. Pure. */
export function modelNamesOf(text: string): string | readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length > 1 ? names : (names[0] ?? '');
}
