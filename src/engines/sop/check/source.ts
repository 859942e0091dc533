import type { Target } from '../checked-plan.ts';
import type { Place } from '../plan.ts';

/** Where the value of an argument comes from. */
export type Source = { readonly place: Place; readonly key?: string } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly target: Target }
  /** The item of an `each`, or its index. */
  | { readonly kind: 'item'; readonly target: Target }
);
