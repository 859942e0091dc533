import { lineAt, toLf } from '../../core/text.ts';
import { compareFindings, type Finding } from './finding.ts';
import { isExample } from './is-example.ts';
import type { Pattern } from './pattern.ts';
import { patterns } from './patterns.ts';
import { placeOf, type Place } from './place.ts';
import { showText } from './show-text.ts';

/** Findings of one file beyond these are left out: whoever sees twenty needs no more. */
const mostFindings = 20;
/** Findings of one pattern in one file. */
const mostAlike = 5;
/** Places that one pattern looks at closely in one file. */
const mostPlaces = 1_000;

/** What the patterns find in a text, the gravest first. Pure; its cost is linear in the length of the text. */
export function scanText(written: string, file: string): readonly Finding[] {
  const text = toLf(written);
  const joined = text.replace(/\\\n/g, '  '); // one command, however many lines it is written on
  const isProse = /\.(?:md|mdx|markdown|txt|rst|adoc|html?)$/i.test(file);
  const places = new Map<RegExp, readonly Place[]>(); // patterns of several grades share what they look for
  const found = new Map<string, Finding>();
  for (const pattern of patterns) {
    if (pattern.only === (isProse ? 'code' : 'prose')) continue;
    const here = places.get(pattern.find) ?? placesIn(joined, pattern.find);
    places.set(pattern.find, here);
    for (const place of here.filter((one) => isMeant(pattern, one)).slice(0, mostAlike)) {
      const line = lineAt(text, place.index);
      const key = `${pattern.id} ${line}`;
      if (!found.has(key)) found.set(key, findingAt(place, line, pattern, file, isProse));
    }
  }
  return [...found.values()].sort(compareFindings).slice(0, mostFindings);
}

function placesIn(text: string, find: RegExp): readonly Place[] {
  const places: Place[] = [];
  for (const match of text.matchAll(find)) {
    places.push(placeOf(text, match.index, match[0]));
    if (places.length >= mostPlaces) break;
  }
  return places;
}

function isMeant({ within, line, near, unless }: Pattern, place: Place): boolean {
  if (within?.test(place.found) === false || line?.test(place.lines) === false) return false;
  return unless?.test(place.lines) !== true && near?.test(place.around) !== false;
}

function findingAt(place: Place, line: number, pattern: Pattern, file: string, isProse: boolean): Finding {
  const { id, what, hint } = pattern;
  const severity = isProse && isExample(place) ? 'low' : pattern.severity;
  return { id, severity, file, line, what, text: showText(place.shown), hint };
}
