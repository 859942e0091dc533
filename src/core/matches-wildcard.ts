/**
 * Whether a text has the form of a pattern in which `*` stands for any characters, none included. Both may be cut into
 * units longer than a character. Takes at most the product of both lengths in steps.
 */
export function matchesWildcard(pattern: ArrayLike<string>, text: ArrayLike<string>): boolean {
  let next = 0;
  let at = 0;
  let star = -1;
  let afterStar = 0;
  while (at < text.length) {
    if (pattern[next] === '*') {
      star = next++;
      afterStar = at;
    } else if (next < pattern.length && pattern[next] === text[at]) {
      next++;
      at++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++afterStar;
    } else {
      return false;
    }
  }
  while (pattern[next] === '*') next++;
  return next === pattern.length;
}
