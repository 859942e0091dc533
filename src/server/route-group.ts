import type { BareAgent } from '../agent/recursive-skilled-agent.ts';
import type { ErrorData, Json, LimitOptions } from '../core/index.ts';
import type { Caller } from './caller.ts';
import type { Idempotency } from './idempotency.ts';
import type { Budgets } from './limits/budgets.ts';
import type { Slots } from './limits/slots.ts';
import type { UsageLedger } from './limits/usage-ledger.ts';
import type { RunFeeds } from './streams/run-feeds.ts';

/** Everything that groups of routes share. */
export interface ServerContext {
  readonly agent: BareAgent;
  /** The version of the program, as shown to clients. */
  readonly version: string;
  /** The events of runs, for any number of followers. */
  readonly feeds: RunFeeds;
  /** Limits the runs in progress. */
  readonly runSlots: Slots;
  readonly idempotency: Idempotency;
  readonly budgets: Budgets;
  /** The usage of all runs. */
  readonly usage: UsageLedger;
  /** Returns the models that runs can use, if the host program lists them. */
  readonly models: (() => Promise<Json>) | undefined;
  /** The limits of every run. */
  readonly limits: LimitOptions | undefined;
  /** Aborts when the server stops taking requests. */
  readonly draining: AbortSignal;
  /** Aborts when the server closes the streams that are still open. */
  readonly closing: AbortSignal;
  /** Reports an error that does not belong to a request, as one line. */
  readonly report: (line: string) => void;
}

/** Answers the requests of a group. */
export interface GroupHandler {
  handle(request: Request, caller: Caller): Promise<Response>;
  close?(): Promise<void>;
}

/** Routes that share one or more path prefixes. Their code loads with their first request. */
export interface RouteGroup {
  readonly name: string;
  /** The prefixes, without a slash at the end. `/v1` means `/v1` and everything below it. */
  readonly paths: readonly string[];
  /** Whether requests need no key, for example for a description of the API. Default false. */
  readonly isPublic?: boolean;
  /** The prefix below which clients encode the slashes of a name. */
  readonly encodedNames?: string;
  open(context: ServerContext): Promise<GroupHandler>;
  /** Writes an error in the form of this API. Default: problem details. */
  readonly refuse?: (error: ErrorData, headers: Readonly<Record<string, string>>) => Response;
}

/** Returns the group with the longest prefix that matches a path. */
export function findGroup(groups: readonly RouteGroup[], path: string): RouteGroup | undefined {
  let found: RouteGroup | undefined;
  let longest = -1;
  for (const group of groups)
    for (const prefix of group.paths) {
      const isWithin = path === prefix || path.startsWith(prefix === '' ? '/' : `${prefix}/`);
      if (isWithin && prefix.length > longest) [found, longest] = [group, prefix.length];
    }
  return found;
}
