// What the reference of descriptors lists; "npm run docs" reads it.
export { subagentFields as fields } from './settings.ts';
