/** The language of a file. */
interface Language {
  /** The name shown to users and models. */
  readonly name: string;
  /** The language tag after the opening fence of a code block. */
  readonly fenceTag: string;
  readonly mediaType: string;
}

const script: Language = { name: 'JavaScript', fenceTag: 'js', mediaType: 'text/javascript' };
const typed: Language = { name: 'TypeScript', fenceTag: 'ts', mediaType: 'text/typescript' };
const plain: Language = { name: 'plain text', fenceTag: '', mediaType: 'text/plain' };

const languages: ReadonlyMap<string, Language> = new Map([
  ['ts', typed],
  ['mts', typed],
  ['cts', typed],
  ['js', script],
  ['mjs', script],
  ['cjs', { ...script, name: 'JavaScript as a CommonJS module' }],
  ['json', { name: 'JSON', fenceTag: 'json', mediaType: 'application/json' }],
  ['sql', { name: 'SQL', fenceTag: 'sql', mediaType: 'application/sql' }],
  ['html', { name: 'HTML', fenceTag: 'html', mediaType: 'text/html' }],
  ['css', { name: 'CSS', fenceTag: 'css', mediaType: 'text/css' }],
  ['md', { name: 'Markdown', fenceTag: 'md', mediaType: 'text/markdown' }],
]);

/** Returns a file's language by its extension. Files with unknown extensions are plain text. */
export function languageOf(file: string): Language {
  return languages.get(file.slice(file.lastIndexOf('.') + 1).toLowerCase()) ?? plain;
}

/** Whether a file contains TypeScript. */
export function isTypeScript(file: string): boolean {
  return languageOf(file) === typed;
}
