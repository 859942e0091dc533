import type { Output } from '../run.ts';

/**
 * Returns an output's value as JSON, to be shown after the output's text. Returns an empty string if the text
 * already contains the value: as JSON or, for a string, number or boolean, as plain text. Pure.
 */
export function valueBeside({ text, value }: Output & { readonly status: 'done' }): string {
  if (value === undefined || value === null || text === '') return '';
  const json = JSON.stringify(value);
  const said = onOneLine(text);
  if (typeof value !== 'object' && contains(said, value)) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return json;
  const forms = [json, JSON.stringify(value, null, 2)].map(onOneLine);
  return text.includes(json) || forms.some((form) => said.includes(form)) ? '' : json;
}

/** Returns the text trimmed and with its whitespace reduced to single spaces, for comparisons. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Whether the text includes a value. A number or single word must not be part of a longer number or word. */
function contains(said: string, value: string | number | boolean): boolean {
  const expected = onOneLine(String(value));
  if (typeof value === 'string' && !/^\w+$/.test(expected)) return said.includes(expected);
  const [before, after] = typeof value === 'number' ? [/[\w.-]$/, /^(?:\w|[.,]\d)/] : [/\w$/, /^\w/];
  for (let at = said.indexOf(expected); at >= 0; at = said.indexOf(expected, at + 1)) {
    const end = at + expected.length;
    if (!before.test(said.slice(Math.max(0, at - 1), at)) && !after.test(said.slice(end, end + 2)))
      return true;
  }
  return false;
}
