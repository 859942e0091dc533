/** Characters of what a call is given, of what it gives and of everything that it asks, as JSON. */
export const mostCharacters = 4_000_000;

/** Questions that one call may ask of its host. */
export const mostQuestions = 10_000;

/** Characters that are kept of what a call writes to stdout, and to stderr. */
export const mostPrinted = 100_000;
