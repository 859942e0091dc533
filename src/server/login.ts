import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Signs a person in to the web page with the address that the server printed. */
export interface Login {
  /** Returns a new token for an address that the server prints. It works once, for a limited time. */
  issue(): string;
  /** Returns the response that exchanges a token for a cookie, or undefined if the token is not valid. */
  exchange(token: string, isSecure: boolean): Response | undefined;
  /** Whether a request has a valid cookie. */
  isSignedIn(headers: Headers): boolean;
}

const cookieName = 'skilled_session';
const tokenMs = 3_600_000; // One hour, in milliseconds.
const sessionMs = 12 * 3_600_000;
const maxSessions = 100;

/** Creates the sign-in of a server. Tokens and cookies exist only in this process. */
export function createLogin(now: () => number = Date.now): Login {
  const tokens = new Map<string, number>();
  const sessions = new Map<string, number>();
  return {
    issue() {
      const token = randomBytes(32).toString('base64url');
      keep(tokens, token, now() + tokenMs);
      return token;
    },
    exchange(token, isSecure) {
      const found = find(tokens, token, now());
      if (found === undefined) return undefined;
      tokens.delete(found);
      const session = randomBytes(32).toString('base64url');
      keep(sessions, session, now() + sessionMs);
      const parts = [
        `${cookieName}=${session}`,
        'Path=/',
        'HttpOnly',
        'SameSite=Strict',
        `Max-Age=${sessionMs / 1_000}`,
        ...(isSecure ? ['Secure'] : []),
      ];
      return new Response(null, {
        status: 303,
        headers: { location: '/', 'set-cookie': parts.join('; '), 'cache-control': 'no-store' },
      });
    },
    isSignedIn(headers) {
      const given = cookieIn(headers);
      return given !== undefined && find(sessions, given, now()) !== undefined;
    },
  };
}

/** Returns the cookie of a request. If there are several, a page of a parent domain may have set one. */
function cookieIn(headers: Headers): string | undefined {
  const found = (headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .filter(([name]) => name === cookieName);
  return found.length === 1 ? found[0]?.[1] : undefined;
}

function keep(known: Map<string, number>, secret: string, until: number): void {
  known.set(hashOf(secret).toString('hex'), until);
  const [oldest] = known.keys();
  if (known.size > maxSessions && oldest !== undefined) known.delete(oldest);
}

/** Returns the stored hash of a secret that has not expired. Compares in constant time. */
function find(known: Map<string, number>, secret: string, now: number): string | undefined {
  const given = hashOf(secret);
  let found: string | undefined;
  for (const [hash, until] of known)
    if (timingSafeEqual(Buffer.from(hash, 'hex'), given) && until > now) found = hash;
  return found;
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
