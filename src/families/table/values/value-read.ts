import type { Json } from '../../../core/index.ts';

/** What a value was read as, in the one form of its type, or why it cannot be one. */
export type ValueRead = { readonly value: Json } | { readonly fault: string };
