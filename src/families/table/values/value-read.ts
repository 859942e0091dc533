import type { Json } from '../../../core/index.ts';

/** A value in its type's standard form, or the reason it is invalid. */
export type ValueRead = { readonly value: Json } | { readonly fault: string };
