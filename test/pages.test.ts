import { testPages } from './support/follow-page.ts';

// The guides take two fifths of the time of all pages, so they have their own file, guides.test.ts.
testPages('pages of the documentation', (file) => !file.startsWith('docs/guides/'));
