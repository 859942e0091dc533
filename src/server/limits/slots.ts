import type { AgentError } from '../../core/index.ts';
import type { Principal } from '../keys/principal.ts';

/** Limits how many things of one kind are in progress, in total and for each key. It never queues. */
export interface Slots {
  /** Takes a slot. Dispose the result to free it. Returns `limit.busy` at once if there is no free slot. */
  enter(principal: Pick<Principal, 'keyId' | 'keyName'>, perKey: number | undefined): Disposable | AgentError;
  /** The number of taken slots. */
  readonly taken: number;
}
