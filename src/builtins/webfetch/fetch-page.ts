import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { AgentError, isAgentError, isPublicAddress, reasonOf } from '../../core/index.ts';
import { decodePage, mediaTypeOf, readBody, textKindOf, type TextKind } from './read-body.ts';

/** How long fetching may take, and how much may come. */
export interface FetchLimits {
  /** Milliseconds for all of it, redirects included. */
  readonly timeMs: number;
  /** Of the body, packed or unpacked. */
  readonly bytes: number;
  readonly redirects: number;
}

/** A page as it came, as text. */
interface FetchedPage {
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
  reach: PageReach,
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
  reach: PageReach,
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

/** Asks for one address, which is checked, and resolves with the head of the answer; no proxy, no cookie, nobody logged in. */
async function exchange(url: URL, reach: PageReach, signal: AbortSignal): Promise<IncomingMessage> {
  checkUrl(url, reach);
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { agent: false, headers: requestHeaders, lookup: checkedLookup(reach), signal },
      resolve,
    );
    sent.on('error', reject);
    sent.end();
  });
}

const requestHeaders = {
  accept: 'text/html, text/markdown, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en, *;q=0.5',
  'user-agent': 'Mozilla/5.0 (compatible; skilled)',
};

/** What of the network may be reached. */
export interface PageReach {
  isAllowed(address: string): boolean;
  /** Undefined means all. */
  readonly ports: ReadonlySet<number> | undefined;
  /** All addresses of a host. */
  resolve(host: string): Promise<readonly LookupAddress[]>;
}

/** The open internet, on the ports of the web. */
export const publicReach: PageReach = {
  isAllowed: isPublicAddress,
  ports: new Set([80, 443, 8080, 8443]),
  resolve: (host) => lookup(host, { all: true }),
};

/** Throws for an address that must not be fetched, as far as it tells by itself; its host is judged when it is resolved. */
export function checkUrl(url: URL, reach: PageReach): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new AgentError('usage.bad-input', `"${url.protocol}" is no protocol of the web.`, {
      hint: 'Give an address that begins with https:// or http://.',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new AgentError('policy.denied', `The address of ${url.hostname} holds a user name or password.`, {
      hint: 'Leave it out; pages that need a login cannot be fetched.',
    });
  }
  const port = Number(url.port === '' ? usualPorts[url.protocol] : url.port);
  if (reach.ports?.has(port) === false) {
    throw new AgentError('policy.denied', `Port ${port} of ${url.hostname} is none that is fetched from.`, {
      hint: `Use one of the ports ${[...reach.ports].join(', ')}.`,
    });
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !reach.isAllowed(host)) throw notPublic(url.hostname);
}

const usualPorts = { 'http:': 80, 'https:': 443 };

/** Resolves a host for a connection: what is checked here is what is connected to, and one forbidden address forbids the host. */
function checkedLookup(reach: PageReach): LookupFunction {
  return (host, { all }, done) => {
    reach.resolve(host).then(
      (found) => {
        const [first] = found;
        if (first === undefined) done(new Error(`no address for ${host}`), '');
        else if (!found.every(({ address }) => reach.isAllowed(address))) done(notPublic(host), '');
        else if (all === true) done(null, [...found]);
        else done(null, first.address, first.family);
      },
      (thrown: unknown) => done(thrown as Error, ''),
    );
  };
}

function notPublic(host: string): AgentError {
  return new AgentError('policy.denied', `${host} is not an address of the open internet.`, {
    hint: 'Only public pages can be fetched.',
  });
}

/** Whether an answer says that the page is elsewhere. */
function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode) && headers.location !== undefined;
}

/** Where a redirect leads; throws for another host, which nobody has allowed yet, and for a step down from https. */
export function followRedirect(from: URL, location: string): URL {
  const to = URL.parse(location, from.href);
  if (to === null) {
    throw new AgentError('skill.failed', `${from.href} leads to "${location}", which is no address.`);
  }
  if (from.protocol === 'https:' && to.protocol !== 'https:') {
    throw new AgentError('policy.denied', `${from.href} leads to ${to.protocol}//, which is not encrypted.`);
  }
  if (bareHost(from) !== bareHost(to)) {
    throw new AgentError('skill.failed', `${from.href} leads to another host: ${to.href}`, {
      hint: 'Fetch that address instead, if it is the page that is meant.',
    });
  }
  return to;
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^www\./, '');
}
