import { EVENT_ID, type Event } from 'js-yaml';

/** Stops the reading of a document; only those who begin to read one catch it. */
export class YamlRefusal extends Error {
  readonly why: 'syntax' | 'limit';
  readonly offset: number;

  constructor(why: 'syntax' | 'limit', message: string, offset: number) {
    super(message);
    this.why = why;
    this.offset = offset;
  }
}

/** The events of the first document, one after the other. */
export interface YamlEvents {
  /** Where in the text the last one was that was taken. */
  readonly offset: number;
  /** Whether something stands behind what was taken. */
  readonly hasMore: boolean;
  /** The next one, or undefined where a value is missing; throws for tags, anchors and aliases. */
  take(): Event | undefined;
  /** Whether the list or mapping that is being read has no more in it. */
  isAtEnd(): boolean;
  /** Goes past the end of a list or mapping. */
  leave(): void;
}

/** Goes through events from the start of their document. */
export function walkYamlEvents(events: readonly Event[]): YamlEvents {
  let at = 1; // past the start of the document
  let offset = 0;
  return {
    get offset() {
      return offset;
    },
    get hasMore() {
      return events.length > at + 1;
    },
    take() {
      const event = events[at++];
      if (event === undefined || event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP)
        return undefined;
      offset = Math.max(offset, offsetOf(event));
      if (event.anchorStart >= 0) throw new YamlRefusal('syntax', 'anchors and aliases are not read', offset);
      if (event.type !== EVENT_ID.ALIAS && event.tagStart >= 0)
        throw new YamlRefusal('syntax', 'tags are not read', offset);
      return event;
    },
    isAtEnd: () => (events[at]?.type ?? EVENT_ID.POP) === EVENT_ID.POP,
    leave() {
      at++;
    },
  };
}

function offsetOf(event: Event): number {
  if ('valueStart' in event) return event.valueStart;
  return 'start' in event ? event.start : -1;
}
