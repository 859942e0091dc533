/** How many characters words can have to be looked at without a model. */
export const longestWords = 200_000;
