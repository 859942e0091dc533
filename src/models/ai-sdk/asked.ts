import type { Redact } from '../../core/secrets/redact.ts';

/** Who is asked, as messages about it need to say. */
export interface Asked {
  /** `provider/name`. */
  readonly id: string;
  /** The name that the provider knows. */
  readonly model: string;
  /** The provider, as people call it. */
  readonly label: string;
  /** Where it is; the address in a failure unless given. */
  readonly url?: string;
  /** Where its key comes from; never the key. */
  readonly key?: KeyPlace;
  /** What lets people set a key where none is; a sentence. */
  readonly keyHint?: string;
  /** Takes keys out of what the provider says. */
  readonly redact: Redact;
}

/** The variable that holds a key, and where it stands. */
export interface KeyPlace {
  readonly variable: string;
  readonly from: 'environment' | '.env';
}
