import { isJsonObject, type Json } from '../core/json.ts';

/** The input of a call in words, for a model: a text as it is, also as the only member of an object, anything else as JSON; never nothing. */
export function requestText(input: Json): string {
  const given = soleMember(input);
  const text = typeof given === 'string' ? given : given === null ? '' : JSON.stringify(given);
  return text.trim() === '' ? 'Do what you are for.' : text;
}

function soleMember(input: Json): Json {
  if (!isJsonObject(input)) return input;
  const [[key, value] = ['', input], ...others] = Object.entries(input);
  const isWords = others.length === 0 && typeof value === 'string' && ['input', 'prompt'].includes(key);
  return isWords ? value : input;
}
