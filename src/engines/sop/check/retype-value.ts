import { parseJson, type Json } from '../../../core/json.ts';
import { accepts, kindOf, type Accepted } from './accepted.ts';

/**
 * Text as what a place accepts, where that is no text: a number, true, false, null, or a list or an object in JSON. A
 * number, true and false as text, where only that is accepted. Any other value as it is. Pure.
 */
export function retypeValue(accepted: Accepted, value: Json): Json {
  if (typeof value === 'string') return accepts(accepted, 'string') ? value : retypeText(accepted, value);
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  return isScalar && !accepts(accepted, kindOf(value)) && accepts(accepted, 'string') ? String(value) : value;
}

const numeral = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function retypeText(accepted: Accepted, text: string): Json {
  const written = text.trim();
  const value = numeral.test(written) ? finite(Number(written)) : parseJson(written);
  if (value === undefined || typeof value === 'string') return text;
  return accepts(accepted, kindOf(value)) ? value : text;
}

function finite(number: number): number | undefined {
  return Number.isFinite(number) ? number || 0 : undefined; // never minus zero
}
