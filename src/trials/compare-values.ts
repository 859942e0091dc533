import { isJsonObject, type Json } from '../core/json.ts';
import type { Mismatch } from './mismatch.ts';

/** Where a value is not what is expected: every member that is given must be there and equal, or, as a whole, no other may be. */
export function compareValues(
  what: string,
  expected: Json,
  got: Json | undefined,
  isWhole: boolean,
): readonly Mismatch[] {
  if (Array.isArray(expected) && Array.isArray(got)) return compareLists(what, expected, got, isWhole);
  if (isJsonObject(expected) && isJsonObject(got)) {
    const given = Object.entries(expected).flatMap(([key, value]) =>
      compareValues(`${what}.${key}`, value, Object.hasOwn(got, key) ? got[key] : undefined, isWhole),
    );
    const more = isWhole ? Object.keys(got).filter((key) => !Object.hasOwn(expected, key)) : [];
    const unexpected = more.map((key) => mismatch(`${what}.${key}`, undefined, got[key]));
    return [...given, ...unexpected];
  }
  return Object.is(expected, got) ? [] : [mismatch(what, expected, got)];
}

function compareLists(
  what: string,
  expected: readonly Json[],
  got: readonly Json[],
  isWhole: boolean,
): readonly Mismatch[] {
  const longest = Math.max(expected.length, got.length);
  return Array.from({ length: longest }, (_, index) => index).flatMap((index) => {
    const [wanted, found] = [expected[index], got[index]];
    const name = `${what}.${index}`;
    return wanted === undefined
      ? [mismatch(name, wanted, found)]
      : compareValues(name, wanted, found, isWhole);
  });
}

function mismatch(what: string, expected: Json | undefined, got: Json | undefined): Mismatch {
  return { what, expected: shown(expected), got: shown(got) };
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
