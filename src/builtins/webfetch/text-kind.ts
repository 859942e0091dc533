/** How a body is read; undefined for what is no text, such as an image. */
export type TextKind = 'html' | 'text';

const named: Readonly<Record<string, TextKind>> = {
  'application/xhtml+xml': 'html',
  'application/json': 'text',
  'application/x-ndjson': 'text',
  'application/xml': 'text',
  'application/yaml': 'text',
  'application/x-yaml': 'text',
  'application/toml': 'text',
  'application/javascript': 'text',
  'application/x-javascript': 'text',
  'application/ecmascript': 'text',
  'application/sql': 'text',
  'application/x-sh': 'text',
};

/** Judges by the media type that a server states; one that states none may have sent text. */
export function textKindOf(type: string): TextKind | undefined {
  if (type === '') return 'text';
  if (type === 'text/html') return 'html';
  if (type.startsWith('text/') && type !== 'text/rtf') return 'text';
  if (Object.hasOwn(named, type)) return named[type];
  return /^application\/[\w.-]+\+(?:json|xml)$/.test(type) ? 'text' : undefined;
}

/** The bare media type of a header, in lower case. */
export function mediaTypeOf(header = ''): string {
  return (header.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** The character set that a header or the like states. */
export function charsetOf(header = ''): string | undefined {
  return /charset\s*=\s*["']?([^\s"';,]+)/i.exec(header)?.[1];
}
