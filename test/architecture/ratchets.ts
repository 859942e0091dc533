/**
 * How many violations of a rule are left in the source. A number here may only fall: the architecture test fails when
 * there are more, and asks for the new number when there are fewer.
 */
export const ratchets: Readonly<Record<string, number>> = {
  'folder-size': 24,
  dust: 339,
  'type-names': 145,
  'lazy-imports': 15,
};
