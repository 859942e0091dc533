import type { IncomingMessage } from 'node:http';
import { AgentError, isAgentError, reasonOf } from '../../core/error.ts';
import { decodePage } from './decode-page.ts';
import { exchange } from './exchange.ts';
import { readBody } from './read-body.ts';
import type { Reach } from './reach.ts';
import { followRedirect, isRedirect } from './redirect.ts';
import { mediaTypeOf, textKindOf, type TextKind } from './text-kind.ts';

/** How long fetching may take, and how much may come. */
export interface FetchLimits {
  /** Milliseconds for all of it, redirects included. */
  readonly timeMs: number;
  /** Of the body, packed or unpacked. */
  readonly bytes: number;
  readonly redirects: number;
}

/** A page as it came, as text. */
export interface FetchedPage {
  /** Where redirects led. */
  readonly url: string;
  readonly kind: TextKind;
  /** The media type; empty when the server stated none. */
  readonly type: string;
  readonly text: string;
}

/** Fetches one page within the limits; throws what a reader can act on, and the signal's reason when that stopped it. */
export async function fetchPage(
  address: string,
  reach: Reach,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<FetchedPage> {
  const time = AbortSignal.timeout(limits.timeMs);
  try {
    const both = AbortSignal.any([signal, time]);
    const { url, answer } = await follow(parse(address), reach, limits.redirects, both);
    return await readPage(url, answer, limits.bytes);
  } catch (thrown) {
    signal.throwIfAborted();
    if (time.aborted) {
      const message = `${address} took longer than ${limits.timeMs / 1000} seconds.`;
      throw new AgentError('limit.time', message, { hint: 'Try again later, or use another page.' });
    }
    if (isAgentError(thrown)) throw thrown;
    throw notReached(address, thrown);
  }
}

async function follow(
  start: URL,
  reach: Reach,
  most: number,
  signal: AbortSignal,
): Promise<{ readonly url: URL; readonly answer: IncomingMessage }> {
  let url = start;
  for (let count = 0; count <= most; count += 1) {
    const answer = await exchange(url, reach, signal);
    if (!isRedirect(answer)) return { url, answer };
    answer.destroy();
    url = followRedirect(url, answer.headers.location ?? '');
  }
  throw new AgentError('skill.failed', `${start.href} leads on and on: more than ${most} redirects.`);
}

async function readPage(url: URL, answer: IncomingMessage, most: number): Promise<FetchedPage> {
  const { statusCode = 0, statusMessage = '', headers } = answer;
  if (statusCode < 200 || statusCode > 299) {
    answer.destroy();
    throw new AgentError(
      'skill.failed',
      `${url.href} answered ${statusCode} ${statusMessage}`.trimEnd() + '.',
      {
        hint: hintFor(statusCode),
      },
    );
  }
  const type = mediaTypeOf(headers['content-type']);
  const kind = textKindOf(type);
  if (kind === undefined) {
    answer.destroy();
    throw notText(url, type);
  }
  const text = decodePage(await readBody(answer, most), headers['content-type']);
  if (text.includes('\0')) throw notText(url, type);
  const looksLikeHtml = /^\s*(?:<!--[^]{0,2000}?-->\s*)?<(?:!doctype\s+html|html)\b/i.test(
    text.slice(0, 4000),
  );
  return { url: url.href, kind: type === '' && looksLikeHtml ? 'html' : kind, type, text };
}

function parse(address: string): URL {
  const url = URL.parse(address);
  if (url !== null) return url;
  throw new AgentError('usage.bad-input', `"${address}" is not the address of a page.`, {
    hint: 'Give the whole address, as https://example.com/page.',
  });
}

function notText(url: URL, type: string): AgentError {
  return new AgentError('skill.failed', `${url.href} is not text${type === '' ? '' : ` but ${type}`}.`, {
    hint: 'Fetch a page of text: HTML, Markdown, JSON, XML, CSV or plain text.',
  });
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return 'The page is not for everybody; use another one.';
  if (status === 404 || status === 410) return 'There is no such page; check the address.';
  return status === 429 || status >= 500 ? 'Try again later.' : 'Use another page.';
}

/** A connection that was tried to several addresses fails with all their reasons. */
function notReached(address: string, thrown: unknown): AgentError {
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const { code } = first as NodeJS.ErrnoException;
  const reason = code === 'ENOTFOUND' ? 'there is no such host' : reasonOf(first);
  return new AgentError('skill.failed', `${address} could not be fetched: ${reason}.`, {
    hint: 'Check the address, or try again later.',
    cause: thrown,
  });
}
