// The sections to list in the descriptor reference (`npm run docs`).
export { sections } from './parse.ts';
