const shortest = 6; // characters; a shorter secret would redact ordinary words

/** How a secret may stand in a text: as it is and in its usual encodings; none for one that is too short. */
export function formsOf(secret: string): readonly string[] {
  const text = secret.trim().toWellFormed();
  if (text.length < shortest) return [];
  const inUrl = [encodeURIComponent(text), encodeURI(text), encodeForm(text)];
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    ...inUrl,
    ...inUrl.map((form) => form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())),
    ...[text, secret].flatMap(encodeBase64),
  ];
}

function encodeForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function encodeBase64(text: string): readonly string[] {
  const padded = Buffer.from(text).toString('base64');
  return [padded, padded.replace(/=+$/, ''), Buffer.from(text).toString('base64url')];
}
