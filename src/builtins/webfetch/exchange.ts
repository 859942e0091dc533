import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { checkedLookup, checkUrl, type Reach } from './reach.ts';

/** Asks for one address, which is checked, and resolves with the head of the answer; no proxy, no cookie, nobody logged in. */
export async function exchange(url: URL, reach: Reach, signal: AbortSignal): Promise<IncomingMessage> {
  checkUrl(url, reach);
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, headers, lookup: checkedLookup(reach), signal }, resolve);
    sent.on('error', reject);
    sent.end();
  });
}

const headers = {
  accept: 'text/html, text/markdown, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en, *;q=0.5',
  'user-agent': 'Mozilla/5.0 (compatible; skilled)',
};
