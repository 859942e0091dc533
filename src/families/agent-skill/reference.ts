// The field names for the descriptor reference that `npm run docs` generates.
export { knownFields as fields } from './lint.ts';
