import { testPages } from './support/follow-page.ts';

testPages('guides', (file) => file.startsWith('docs/guides/'));
