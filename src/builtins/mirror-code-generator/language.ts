/** What kind of text a file holds, by its name. */
interface Language {
  /** For people and models. */
  readonly name: string;
  /** Behind the marks of a fenced block. */
  readonly word: string;
  readonly mediaType: string;
}

const script: Language = { name: 'JavaScript', word: 'js', mediaType: 'text/javascript' };
const typed: Language = { name: 'TypeScript', word: 'ts', mediaType: 'text/typescript' };
const plain: Language = { name: 'plain text', word: '', mediaType: 'text/plain' };

const languages: ReadonlyMap<string, Language> = new Map([
  ['ts', typed],
  ['mts', typed],
  ['cts', typed],
  ['js', script],
  ['mjs', script],
  ['cjs', { ...script, name: 'JavaScript as a CommonJS module' }],
  ['json', { name: 'JSON', word: 'json', mediaType: 'application/json' }],
  ['sql', { name: 'SQL', word: 'sql', mediaType: 'application/sql' }],
  ['html', { name: 'HTML', word: 'html', mediaType: 'text/html' }],
  ['css', { name: 'CSS', word: 'css', mediaType: 'text/css' }],
  ['md', { name: 'Markdown', word: 'md', mediaType: 'text/markdown' }],
]);

/** The language of a file; plain text where its extension says nothing that is known. */
export function languageOf(file: string): Language {
  return languages.get(file.slice(file.lastIndexOf('.') + 1).toLowerCase()) ?? plain;
}

/** Whether the types of a file can be checked. */
export function isTypeScript(file: string): boolean {
  return languageOf(file) === typed;
}
