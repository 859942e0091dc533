// What the reference of descriptors lists; "npm run docs" reads it.
export { knownFields as fields } from './lint.ts';
