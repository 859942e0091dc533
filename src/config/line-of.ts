import { placesIn, type JsonMember, type JsonPlace } from './json-places.ts';

/** The line of a member in valid JSON text, by the names and numbers of items that lead to it with dots between them; undefined where it is not written. Pure. */
export function lineOf(text: string, path: string): number | undefined {
  const place = memberAt(placesIn(text), path)?.start;
  return place === undefined ? undefined : text.slice(0, place).split('\n').length;
}

/** Of a key that is written twice the last one counts. */
function memberAt(place: JsonPlace, path: string): JsonMember | undefined {
  const members = place.members ?? (place.items ?? []).map(itemAt);
  const same = members.findLast(({ key }) => key === path);
  if (same !== undefined) return same;
  const inner = members.flatMap(({ key, value }) =>
    path.startsWith(`${key}.`) ? (memberAt(value, path.slice(key.length + 1)) ?? []) : [],
  );
  return inner.at(-1);
}

/** An item of a list as a member under its number. */
function itemAt(value: JsonPlace, index: number): JsonMember {
  return { key: String(index), start: value.start, value };
}
