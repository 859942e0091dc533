import { hasEnded, onAbort, pause, type RunEvent, type RunHandle, type Store } from '../../core/index.ts';

/** The events of runs, for any number of followers. All followers of a run share one reader of the store. */
export interface RunFeeds {
  /** Passes on the events of a run that this process works on, including the text that models write. */
  attach(handle: RunHandle): void;
  /**
   * Yields the events of a run after a sequence number, in groups. Ends when the run has ended, when it is
   * removed, or when the signal aborts. While a run waits for a person, so does the follower.
   */
  follow(runId: string, after: number, signal: AbortSignal): AsyncGenerator<readonly FeedEvent[], void>;
  /** The number of followers. */
  readonly followers: number;
}

const maxRecent = 256; // The events of a run that are kept for followers. Older ones are read from the store.
const maxGroup = 64;
const lookEvery = 150; // The time between two reads of the store, in milliseconds.
const longestLook = 1_000;

/**
 * An event as followers get it. A piece of text also has the position of its first character in the text of
 * its attempt, so that a follower who gets a piece again can tell.
 */
export type FeedEvent = RunEvent & { readonly offset?: number };

/** The latest events of a run. Positions count all events that passed, including those without a number. */
interface Feed {
  readonly runId: string;
  recent: FeedEvent[];
  /** The text of the model steps in progress, as one piece each, by the key of the step. */
  readonly texts: Map<string, FeedEvent>;
  /** The position of the first recent event. */
  start: number;
  /** The last sequence number that passed. */
  last: number;
  followers: number;
  isAttached: boolean;
  isReading: boolean;
  isOver: boolean;
  changed: PromiseWithResolvers<undefined>;
}

/** Creates the feeds of a server. */
export function createRunFeeds(open: () => Promise<Store>): RunFeeds {
  const feeds = new Map<string, Feed>();
  const feedOf = (runId: string): Feed => {
    const known = feeds.get(runId) ?? newFeed(runId);
    feeds.set(runId, known);
    return known;
  };
  const tidy = (feed: Feed): void => {
    if (feed.followers === 0 && !feed.isAttached && feeds.get(feed.runId) === feed) feeds.delete(feed.runId);
  };
  /** Reads a run's events from the store as long as it has followers and no handle. */
  const read = async (feed: Feed): Promise<void> => {
    if (feed.isReading) return;
    feed.isReading = true;
    try {
      const store = await open();
      for (let wait = lookEvery; isNeeded(feed);) {
        const before = feed.last;
        for await (const event of store.read(feed.runId, feed.last + 1)) push(feed, event);
        if (feed.isOver || !isNeeded(feed)) break;
        if (feed.last === before && (await isGone(store, feed.runId))) {
          finish(feed);
          return;
        }
        wait = feed.last === before ? Math.min(wait * 1.2, longestLook) : lookEvery;
        await pause(wait);
      }
    } catch {
      finish(feed); // The store failed. Clients continue with their last event id.
    } finally {
      feed.isReading = false;
      tidy(feed);
    }
  };
  const pump = async (handle: RunHandle): Promise<void> => {
    let feed: Feed | undefined;
    try {
      for await (const event of handle.events) {
        feed ??= feedOf(event.runId);
        feed.isAttached = true;
        push(feed, event);
      }
    } finally {
      if (feed !== undefined) {
        feed.isAttached = false;
        if (isNeeded(feed)) void read(feed);
        tidy(feed);
      }
    }
  };
  let followers = 0;

  return {
    attach: (handle) => void pump(handle),
    async *follow(runId, after, signal) {
      const feed = feedOf(runId);
      feed.followers += 1;
      followers += 1;
      try {
        if (!feed.isAttached) void read(feed);
        yield* followFeed(feed, after, signal, open);
      } finally {
        feed.followers -= 1;
        followers -= 1;
        tidy(feed);
      }
    },
    get followers() {
      return followers;
    },
  };
}

function newFeed(runId: string): Feed {
  const changed = Promise.withResolvers<undefined>();
  const flags = { isAttached: false, isReading: false, isOver: false };
  return { runId, recent: [], texts: new Map(), start: 0, last: 0, followers: 0, changed, ...flags };
}

function isNeeded(feed: Feed): boolean {
  return feed.followers > 0 && !feed.isAttached && !feed.isOver;
}

async function isGone(store: Store, runId: string): Promise<boolean> {
  const [run] = await store.runs({ ids: [runId] });
  return run === undefined || hasEnded(run.status);
}

function push(feed: Feed, event: RunEvent): void {
  if (event.seq > 0) {
    if (event.seq <= feed.last) return;
    feed.last = event.seq;
  }
  feed.recent.push(event.type === 'model.delta' ? addText(feed, event) : event);
  if (event.type === 'model.ended') feed.texts.delete(textKey(event));
  if (feed.recent.length > 2 * maxRecent) {
    feed.start += feed.recent.length - maxRecent;
    feed.recent = feed.recent.slice(-maxRecent);
  }
  if (event.type === 'run.ended') feed.isOver = true;
  wake(feed);
}

/** Adds a piece to the text of its step, and returns the piece with its position. */
function addText(feed: Feed, piece: RunEvent & { readonly type: 'model.delta' }): FeedEvent {
  const key = textKey(piece);
  const before = feed.texts.get(key);
  const isSame = before?.type === 'model.delta' && before.attempt === piece.attempt;
  const text = isSame ? before.text : '';
  feed.texts.set(key, { ...piece, text: text + piece.text, offset: 0 });
  return { ...piece, offset: text.length };
}

function textKey({ frameId, key }: { readonly frameId: string; readonly key: string }): string {
  return `${frameId}/${key}`;
}

function finish(feed: Feed): void {
  feed.isOver = true;
  wake(feed);
}

function wake(feed: Feed): void {
  const { resolve } = feed.changed;
  feed.changed = Promise.withResolvers();
  resolve(undefined);
}

/**
 * Yields the events of a feed. A follower that begins, or that the feed has overtaken, first gets the events
 * from the store, and then the text of model steps in progress.
 */
async function* followFeed(
  feed: Feed,
  after: number,
  signal: AbortSignal,
  open: () => Promise<Store>,
): AsyncGenerator<readonly FeedEvent[], void> {
  const gone = Promise.withResolvers<undefined>();
  using _gone = onAbort(signal, () => gone.resolve(undefined));
  let seq = after;
  let position = -1;
  while (!signal.aborted) {
    const { changed, start } = feed;
    if (position < start) {
      const { last } = feed;
      const texts = [...feed.texts.values()];
      position = start + feed.recent.length;
      for await (const group of catchUp(feed, seq, last, open)) {
        seq = group.at(-1)?.seq ?? seq;
        yield group;
      }
      if (texts.length > 0) yield texts;
      if (position < feed.start) continue;
    }
    const group: FeedEvent[] = [];
    for (; position < feed.start + feed.recent.length && group.length < maxGroup; position += 1) {
      const event = feed.recent[position - feed.start] as FeedEvent;
      if (event.seq > 0 && event.seq <= seq) continue;
      if (event.seq > 0) seq = event.seq;
      group.push(event);
    }
    if (group.length > 0) yield group;
    const isCaughtUp = position >= feed.start + feed.recent.length;
    if (feed.isOver && isCaughtUp) return;
    if (isCaughtUp && changed === feed.changed) await Promise.race([changed.promise, gone.promise]);
  }
}

/** Yields the numbered events between two sequence numbers, from the feed or, if it has less, the store. */
async function* catchUp(
  feed: Feed,
  after: number,
  last: number,
  open: () => Promise<Store>,
): AsyncGenerator<readonly FeedEvent[], void> {
  if (last <= after) return;
  const recent = feed.recent.filter((event) => event.seq > after && event.seq <= last);
  if (recent[0]?.seq === after + 1) {
    for (let at = 0; at < recent.length; at += maxGroup) yield recent.slice(at, at + maxGroup);
    return;
  }
  let group: RunEvent[] = [];
  for await (const event of (await open()).read(feed.runId, after + 1)) {
    if (event.seq > last) break;
    group.push(event);
    if (group.length < maxGroup) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
