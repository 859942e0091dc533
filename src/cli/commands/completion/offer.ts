/** A word that can stand there, and what it means. */
export interface Offer {
  readonly word: string;
  readonly about: string;
}

/** What a shell is to offer: these words, or paths that it knows itself. */
export interface Completion {
  readonly kind: 'words' | 'files' | 'folders';
  readonly offers: readonly Offer[];
}
