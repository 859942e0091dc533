// What the reference of descriptors lists; "npm run docs" reads it.
export { sections } from './parse.ts';
