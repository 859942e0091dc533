/** The maximum length of text that is interpreted without a model, in characters. */
export const longestWords = 200_000;
