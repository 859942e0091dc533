import { testPages } from './support/follow-page.ts';

// Guides take two fifths of the time of all pages, so they are in a file of their own: guides.test.ts.
testPages('pages of the documentation', (file) => !file.startsWith('docs/guides/'));
