import type { Json } from '../../../core/index.ts';
import { quote } from './quote.ts';
import { isStorable } from './read-list.ts';
import type { ValueRead } from './value-read.ts';

/** A text as it stands. */
export function readText(given: Json): ValueRead {
  if (typeof given === 'object') return { fault: `must be a text, not ${quote(given)}.` };
  const value = String(given);
  return isStorable(value) ? { value } : { fault: 'cannot hold characters that no database can keep.' };
}

const address = /^[^\s@"(),:;<>[\]\\]{1,64}@[^\s@"(),:;<>[\]\\.]+(?:\.[^\s@"(),:;<>[\]\\.]+)+$/;

/** An address that mail could be sent to; whether somebody reads it is not known. */
export function readEmail(given: Json): ValueRead {
  const value = typeof given === 'string' ? given.trim() : '';
  if (value.length > 254 || !address.test(value) || !isStorable(value)) {
    return { fault: `must be an email address such as name@example.com, not ${quote(given)}.` };
  }
  return { value };
}

/** An absolute address of the web, as it is written. */
export function readUrl(given: Json): ValueRead {
  const value = typeof given === 'string' ? given.trim() : '';
  const url = /^https?:\/\/[^\s]+$/i.test(value) && isStorable(value) ? URL.parse(value) : null;
  return url === null
    ? { fault: `must be an address such as https://example.com, not ${quote(given)}.` }
    : { value };
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A UUID in lower case. */
export function readUuid(given: Json): ValueRead {
  const value = typeof given === 'string' ? given.trim().toLowerCase() : '';
  return uuid.test(value) ? { value } : { fault: `must be a UUID, not ${quote(given)}.` };
}
