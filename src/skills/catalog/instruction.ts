/** What a model is told before the listing, in about 80 tokens. */
export const instruction = `Match the task against the descriptions below before you act.
- One skill clearly fits: load it (call \`skill\` with its name, else \`read\` its location) and follow it.
- Several fit: load only the most specific of them.
- None fits: load none.
Choose first, then load; never load a second skill in advance.

`;

/** What a model is told behind a listing that leaves something out; empty when nothing is. */
export function noteOf(shown: number, all: number): string {
  return shown === all ? '' : `\n${shown} of ${all} skills shown; find-skills searches the rest.`;
}
