/** Characters of what a call is given, of what it gives and of each thing that it asks, as JSON. */
export const mostCharacters = 4_000_000;

/** Characters of all that one call asks of its host, as JSON: much of it is kept with the run. */
export const mostAsked = 64_000_000;

/** Questions that one call may ask of its host. */
export const mostQuestions = 10_000;

/** Characters that are kept of what a call writes to stdout, and to stderr. */
export const mostPrinted = 100_000;
