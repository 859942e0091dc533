import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { AgentError, isAgentError, isPublicAddress, reasonOf } from '../../core/index.ts';
import { decodePage, mediaTypeOf, readBody, textKindOf, type TextKind } from './read-body.ts';

/** The limits on a fetch: time, size and number of redirects. */
export interface FetchLimits {
  /** The time limit for the entire fetch, including redirects, in milliseconds. */
  readonly timeMs: number;
  /** The maximum size of the body in bytes, both compressed and decompressed. */
  readonly bytes: number;
  readonly redirects: number;
}

/** A fetched page, decoded to text. */
interface FetchedPage {
  /** The address after redirects. */
  readonly url: string;
  readonly kind: TextKind;
  /** The media type, or an empty string if the server sent none. */
  readonly type: string;
  readonly text: string;
}

/**
 * Fetches a single page within the limits. Throws an `AgentError`, or the abort reason if the signal aborts.
 */
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
      const message = `Fetching ${address} took longer than ${limits.timeMs / 1000} seconds.`;
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
  throw new AgentError('skill.failed', `${start.href} redirects more than ${most} times.`);
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
  throw new AgentError('usage.bad-input', `"${address}" is not a valid web address.`, {
    hint: 'Give the full address, such as https://example.com/page.',
  });
}

function notText(url: URL, type: string): AgentError {
  return new AgentError('skill.failed', `${url.href} is not text${type === '' ? '' : ` but ${type}`}.`, {
    hint: 'Fetch a text page: HTML, Markdown, JSON, XML, CSV or plain text.',
  });
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return 'The page is not public; use another one.';
  if (status === 404 || status === 410) return 'The page does not exist; check the address.';
  return status === 429 || status >= 500 ? 'Try again later.' : 'Use another page.';
}

/**
 * Returns the error for a host that could not be reached. If several of its addresses failed, the error
 * contains the first reason.
 */
function notReached(address: string, thrown: unknown): AgentError {
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const { code } = first as NodeJS.ErrnoException;
  const reason = code === 'ENOTFOUND' ? 'the host was not found' : reasonOf(first);
  return new AgentError('skill.failed', `${address} could not be fetched: ${reason}.`, {
    hint: 'Check the address, or try again later.',
    cause: thrown,
  });
}

/**
 * Requests a page and resolves to the response once its headers have arrived. Checks the URL first. Sends no
 * cookies or credentials and uses no proxy.
 */
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

/** The hosts and ports that pages may be fetched from. */
export interface PageReach {
  isAllowed(address: string): boolean;
  /** The allowed ports. Undefined if all ports are allowed. */
  readonly ports: ReadonlySet<number> | undefined;
  /** Resolves a host name to all of its addresses. */
  resolve(host: string): Promise<readonly LookupAddress[]>;
}

/** The public internet on the usual web ports. */
export const publicReach: PageReach = {
  isAllowed: isPublicAddress,
  ports: new Set([80, 443, 8080, 8443]),
  resolve: (host) => lookup(host, { all: true }),
};

/** Throws if the URL itself is forbidden. The addresses of its host are checked later, when connecting. */
export function checkUrl(url: URL, reach: PageReach): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new AgentError('usage.bad-input', `"${url.protocol}" is not a web protocol.`, {
      hint: 'Use an address that starts with https:// or http://.',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new AgentError(
      'policy.denied',
      `The address of ${url.hostname} contains a user name or password.`,
      {
        hint: 'Remove it; pages that require a login cannot be fetched.',
      },
    );
  }
  const port = Number(url.port === '' ? usualPorts[url.protocol] : url.port);
  if (reach.ports?.has(port) === false) {
    throw new AgentError('policy.denied', `Port ${port} on ${url.hostname} is not allowed.`, {
      hint: `Use one of these ports: ${[...reach.ports].join(', ')}.`,
    });
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !reach.isAllowed(host)) throw notPublic(url.hostname);
}

const usualPorts = { 'http:': 80, 'https:': 443 };

/** Returns a lookup function that fails unless all addresses of a host are allowed. */
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
  return new AgentError('policy.denied', `${host} is not on the public internet.`, {
    hint: 'Only public pages can be fetched.',
  });
}

/** Whether a response is a redirect. */
function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode) && headers.location !== undefined;
}

/**
 * Returns the target of a redirect. Throws if the target is on another host, which the user has not approved,
 * or if the redirect leads from https to http.
 */
export function followRedirect(from: URL, location: string): URL {
  const to = URL.parse(location, from.href);
  if (to === null) {
    throw new AgentError(
      'skill.failed',
      `${from.href} redirects to "${location}", which is not a valid address.`,
    );
  }
  if (from.protocol === 'https:' && to.protocol !== 'https:') {
    throw new AgentError(
      'policy.denied',
      `${from.href} redirects to ${to.protocol}//, which is not encrypted.`,
    );
  }
  if (bareHost(from) !== bareHost(to)) {
    throw new AgentError('skill.failed', `${from.href} redirects to another host: ${to.href}`, {
      hint: 'If the new address is the right page, fetch it instead.',
    });
  }
  return to;
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^www\./, '');
}
