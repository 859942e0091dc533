import type { Attachment } from '../../core/index.ts';

/** One entry of a conversation, the same for both APIs. */
export type ConversationItem =
  | { readonly kind: 'system'; readonly text: string }
  | { readonly kind: 'user'; readonly text: string; readonly attachments: readonly Attachment[] }
  | { readonly kind: 'assistant'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly kind: 'result'; readonly id: string; readonly text: string };
