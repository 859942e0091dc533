import { isJsonObject, parseJson, type Json } from '../../../core/json.ts';

/**
 * JSON text as a value, undefined when it is none or nests too deep. Whole numbers right in an object that no number here
 * can be are their digits as text, so that none of them is lost.
 */
export function parseRecord(text: string): Json | undefined {
  const value = parseJson(text);
  return isJsonObject(value) && /\d{16}/.test(text) ? { ...value, ...exactMembers(text) } : value;
}

function exactMembers(text: string): Record<string, string> {
  const found: { readonly holder: unknown; readonly key: string; readonly source: string }[] = [];
  const whole: unknown = JSON.parse(text, function (this: unknown, key, value: unknown, more?: Source) {
    const source = more?.source ?? '';
    if (typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source))
      found.push({ holder: this, key, source });
    return value;
  });
  const own = found.filter(({ holder }) => holder === whole);
  return Object.fromEntries(own.map(({ key, source }) => [key, source]));
}

/** What the engine tells of where a value stood. */
interface Source {
  readonly source?: string;
}
