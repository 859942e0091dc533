// The data for the descriptor reference that `npm run docs` generates.
export { attributeHeadings as attributes } from './descriptor/attributes.ts';
export { sectionNames as sections } from './descriptor/parse.ts';
