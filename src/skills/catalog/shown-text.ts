import { withoutHidden } from '../../core/text.ts';

const breaks = /[\t-\r\u0085\u2028\u2029]+/g;

/** A name or path as a model sees it: on one line, without hidden characters, its blanks as they are. */
export function shownName(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return withoutHidden(text.replace(breaks, ' '));
}

/** What a skill says of itself as a model sees it: description and when-to-use on one line, without hidden characters. */
export function shownDescription(card: {
  readonly description?: string | undefined;
  readonly whenToUse?: string | undefined;
}): string {
  const { description = '', whenToUse = '' } = card;
  const text = whenToUse === '' ? description : `${description} ${whenToUse}`;
  return withoutHidden(text.replace(breaks, ' ')).replace(/\s+/g, ' ').trim();
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** The text with the five XML characters escaped. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
