// The fields to list in the descriptor reference (`npm run docs`).
export { subagentFields as fields } from './settings.ts';
