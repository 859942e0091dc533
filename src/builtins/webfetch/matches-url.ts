/** Whether a rule, as `domain:example.com` or `https://example.com/docs`, means an address; pure. */
export function matchesUrl(spec: string, address: string): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  const domain = /^domain:(.+)$/.exec(spec)?.[1];
  return domain === undefined ? isBelow(url, spec) : isOf(url.hostname, domain);
}

/** The domain itself or one below it. */
function isOf(host: string, domain: string): boolean {
  const wanted = URL.parse(`http://${domain}/`)?.hostname;
  if (wanted === undefined || !/^[^/?#@:]+$/.test(domain)) return false;
  const bare = host.replace(/\.$/, '');
  return bare === wanted || bare.endsWith(`.${wanted}`);
}

/** The same origin, and the same path or one below it; a star at the end changes nothing. */
function isBelow(url: URL, spec: string): boolean {
  const prefix = URL.parse(spec.replace(/\*$/, ''));
  if (prefix === null || prefix.origin === 'null' || prefix.origin !== url.origin) return false;
  if (prefix.search !== '') return url.pathname === prefix.pathname && url.search === prefix.search;
  const folder = prefix.pathname.endsWith('/') ? prefix.pathname : `${prefix.pathname}/`;
  return url.pathname === prefix.pathname || url.pathname.startsWith(folder);
}
