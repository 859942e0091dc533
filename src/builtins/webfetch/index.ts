import { createWebfetch } from './create-webfetch.ts';

/** Reads a public web page. */
export const webfetch = createWebfetch();
