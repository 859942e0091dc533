const mostCharacters = 64 * 1024;
const mostBrackets = 48;
const mostHereDocuments = 256;

/** Whether a script can be parsed in a moment: the time grows with its length and with how deep its brackets go. */
export function isReadable(source: string): boolean {
  if (source.length > mostCharacters) return false;
  let hereDocuments = 0;
  let open = 0;
  for (const [token] of source.matchAll(/[({[]|[)}\]]|<</g)) {
    if (token === '<<') hereDocuments++;
    else if ('({['.includes(token)) open++;
    else open = Math.max(0, open - 1);
    if (open > mostBrackets || hereDocuments > mostHereDocuments) return false;
  }
  return true;
}
