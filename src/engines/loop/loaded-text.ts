const longest = 400_000; // characters
const mark = /^\[loaded ([^\]\n]+)\]\n/;
const cutMark = '\n[The rest is left out here. Load it again to have all of it.]';

/** A loaded text as it stands in a conversation: no other result of a tool begins like this. */
export function shownLoaded(name: string, text: string): string {
  return cutLoaded(`[loaded ${name}]\n${text}`, longest);
}

/** The name under which a result of a tool was loaded; undefined when it is no loaded text. */
export function loadedName(text: string): string | undefined {
  return mark.exec(text)?.[1];
}

/** A loaded text of at most so many characters, which says that something is left out. */
export function cutLoaded(text: string, most: number): string {
  const whole = text.toWellFormed(); // providers refuse half a character
  if (whole.length <= most) return whole;
  return `${whole.slice(0, Math.max(0, most - cutMark.length))}${cutMark}`.slice(0, most).toWellFormed();
}
