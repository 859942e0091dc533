/** A page as data: between tags that nothing in it can close. */
export function markPage(url: string, text: string): string {
  const inert = text.replace(/<(?=\s*(?:\/\s*)?page\b)/gi, '&lt;');
  const address = url.replace(/[&"<>]/g, (letter) => entities[letter] ?? letter);
  return `<page url="${address}">\n${inert}\n</page>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };
