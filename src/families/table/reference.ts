// The data for the descriptor reference that `npm run docs` generates.
import { attributeList } from './descriptor/attributes.ts';

export { sectionNames as sections } from './descriptor/parse.ts';

/** The attributes of a field, each with the headings that can introduce it. */
export const attributes = Object.fromEntries(attributeList.map(([key, { titles }]) => [key, titles]));
