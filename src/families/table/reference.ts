// What the reference of descriptors lists; "npm run docs" reads it.
export { attributeHeadings as attributes } from './descriptor/attributes.ts';
export { sectionNames as sections } from './descriptor/parse.ts';
