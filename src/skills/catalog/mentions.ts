// Where writing puts no blank between words, a name may stand in the middle of a run of letters.
const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/v;
const word = new RegExp(`${unspaced.source}+|[[\\p{L}\\p{M}\\p{N}]--${unspaced.source}]+`, 'gv');
const mostRead = 100_000;

/** The names that stand in a request as whole words, in any case, their parts joined by a blank, `-` or `_`; pure. */
export function mentionedNames(request: string, names: readonly string[]): ReadonlySet<string> {
  const text = plainOf(request.slice(0, mostRead));
  const mentioned = new Set<string>();
  if (text.trim() === '') return mentioned;
  const wanted = new Map<string, string[]>();
  let mostWords = 0;
  for (const name of names) {
    for (const form of formsOf(name)) {
      const words = form.match(word) ?? [];
      if (unspaced.test(form) && text.includes(form)) mentioned.add(name);
      mostWords = Math.max(mostWords, words.length);
      const phrase = words.join(' ');
      const same = wanted.get(phrase);
      if (same === undefined) wanted.set(phrase, [name]);
      else same.push(name);
    }
  }
  for (const phrase of phrasesIn(text, mostWords)) {
    for (const name of wanted.get(phrase) ?? []) mentioned.add(name);
  }
  return mentioned;
}

/** A qualified name is meant by its bare one as well. */
function formsOf(name: string): readonly string[] {
  const whole = plainOf(name);
  const bare = whole
    .replace(/^[^:]*:/, '')
    .replace(/:\d+$/, '')
    .replace(/^.*\//, '');
  return bare === whole ? [whole] : [whole, bare];
}

function plainOf(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Every run of up to so many words, joined by one blank, that does not begin or end inside a compound such as `a-b`. */
function* phrasesIn(text: string, mostWords: number): Generator<string> {
  const found = [...text.matchAll(word)].map((match) => ({ text: match[0], at: match.index }));
  const gaps = found.map(({ at }, index) => {
    const before = found[index - 1];
    return before === undefined ? '.' : text.slice(before.at + before.text.length, at);
  });
  let open: { readonly from: number; readonly text: string }[] = [];
  for (const [index, { text: next }] of found.entries()) {
    const gap = gaps[index] ?? '';
    const isJoined = isTight(gap) || /^\s+$/.test(gap);
    open = isJoined ? open.map(({ from, text: phrase }) => ({ from, text: `${phrase} ${next}` })) : [];
    if (!isTight(gap)) open.push({ from: index, text: next });
    open = open.filter(({ from }) => index - from < mostWords);
    if (!isTight(gaps[index + 1] ?? '')) for (const { text: phrase } of open) yield phrase;
  }
}

function isTight(gap: string): boolean {
  return /^[-_:/]$/.test(gap);
}
