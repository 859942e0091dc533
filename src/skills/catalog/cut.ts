let graphemes: Intl.Segmenter | undefined; // made on first use: it takes as long as starting a command
/** How far back a word may end, in UTF-16 units, before it is cut in two instead. */
const nearestWord = 16;
/** What is looked at around a cut to find the character that it would split. */
const neighbourhood = 64;

/** An escaped text of at most so many UTF-16 units (at least 2), ending in `…` where something is missing; no word nearby, no character and no entity is split. */
export function cutEscaped(text: string, most: number): string {
  if (text.length <= most) return text;
  const blank = text.lastIndexOf(' ', most - 1);
  const end = blank > 0 && blank >= most - 1 - nearestWord ? blank : wholeBefore(text, most - 1);
  return `${text.slice(0, end).trimEnd()}…`;
}

/** The last place up to here where no character and no entity is split. */
function wholeBefore(text: string, end: number): number {
  const place = isPlainAt(text, end) ? end : characterStart(text, end);
  const entity = text.lastIndexOf('&', place - 1);
  return entity >= 0 && text.indexOf(';', entity) >= place ? entity : place;
}

function isPlainAt(text: string, place: number): boolean {
  return text.charCodeAt(place - 1) < 0x80 && text.charCodeAt(place) < 0x80;
}

function characterStart(text: string, place: number): number {
  const from = Math.max(0, place - neighbourhood);
  graphemes ??= new Intl.Segmenter('und');
  const around = graphemes.segment(text.slice(from, place + neighbourhood));
  const start = from + (around.containing(place - from)?.index ?? place - from);
  const isSplit = start === from && from > 0; // longer than the neighbourhood: only code points stay whole
  return isSplit ? place - Number(isLowSurrogate(text, place)) : start;
}

function isLowSurrogate(text: string, place: number): boolean {
  return (text.charCodeAt(place) & 0xfc00) === 0xdc00;
}
