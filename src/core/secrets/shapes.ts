import { isUtf8 } from 'node:buffer';
import type { Stretch } from './known-secrets.ts';

/**
 * Finds text shaped like a well-known kind of credential, in linear time. The matches exclude the text that
 * introduces a credential.
 */
export function findSecretShapes(text: string): readonly Stretch[] {
  return shapes.flatMap((shape) => [...findShape(text, shape)]);
}

/**
 * Whether a credential could start in the text and continue in the next chunk. The text must end with a space
 * or a non-ASCII character.
 */
export function isShapeOpenAtEnd(text: string): boolean {
  return openKey.test(text) || openUrl.test(text) || introduction.test(text.slice(-longestIntroduction));
}

// The maximum length of the text before a secret value: its name, punctuation and spaces.
const longestIntroduction = 120;
const openKey =
  /-----BEGIN [A-Z0-9 ]{0,40}(?:$|PRIVATE KEY(?: BLOCK)?-----(?![^]*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----))/;
const openUrl = /:\/\/[^\s@/"`<>\\]{0,1300}$/;

interface Shape {
  /**
   * A regular expression with the `g` flag that matches just enough text to recognise a credential. The text
   * in the first capture group is not redacted.
   */
  readonly pattern: RegExp;
  /** Finds the end of a secret, starting the search at the offset `from`. Default: the end of the match. */
  readonly endOf?: (text: string, from: number) => number;
  /** Whether the matched text really is a secret. Default: true. */
  readonly isSecret?: (secret: string) => boolean;
}

function* findShape(text: string, { pattern, endOf, isSecret }: Shape): Iterable<Stretch> {
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const start = found.index + (found[1]?.length ?? 0);
    const end = endOf?.(text, pattern.lastIndex) ?? pattern.lastIndex;
    pattern.lastIndex = end; // Skip false matches too, so that no text is scanned twice.
    if (isSecret?.(text.slice(start, end)) ?? true) yield { start, end };
  }
}

// Returns a function that finds the end of a run of characters. Matching a long run with a single regex would
// overflow the stack.
function runUntil(outside: RegExp): (text: string, from: number) => number {
  return (text, from) => {
    outside.lastIndex = from;
    return outside.exec(text)?.index ?? text.length;
  };
}

const wordRun = runUntil(/[^\w-]/g);
const valueRun = runUntil(/[^\w.~+/=-]/g);
const tokenRun = runUntil(/[^\w.-]|\.(?![\w-])/g); // A token that consists of segments joined by dots.
const base64Run = runUntil(/[^\w+/=\s\\]/g);

// Characters that may directly precede a token: an escaped character, a percent-encoded character or a
// terminal colour code.
const escape = String.raw`\\[bfnrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\[[\d;]{0,12}m`;
const notInWord = `(?:(?<![A-Za-z0-9])|(?<=${escape}))`;
const notInRun = `(?:(?<![\\w-])|(?<=${escape}))`;

// Prefixes of tokens by well-known issuers, each with the minimum pattern that must follow.
const issued = [
  String.raw`gh[oprsu]_[A-Za-z0-9]{30}|github_pat_\w{22}`, // GitHub
  String.raw`gl(?:agent|cbt|dt|ft|imt|oas|pat|ptt|rt|soat)-[\w-]{20}`, // GitLab
  String.raw`xox[abceoprs](?:\.xox[bp])?-[\w-]{10}|xapp-\d-[\w-]{10}`, // Slack
  String.raw`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])`, // AWS
  String.raw`AIza[\w-]{35}|ya29\.[\w-]{20}|GOCSPX-[\w-]{20}`, // Google
  String.raw`npm_[A-Za-z0-9]{36}|pypi-AgE[\w-]{50}|rubygems_[0-9a-f]{48}|oy2[a-z0-9]{43}`, // package registries
  String.raw`hf_[A-Za-z0-9]{30}|gsk_[A-Za-z0-9]{40}|r8_[A-Za-z0-9]{30}|(?:xai|pplx|csk)-[A-Za-z0-9]{40}`, // models
  String.raw`[rs]k_(?:live|test|prod)_[A-Za-z0-9]{16}|sq0(?:atp|csp)-[\w-]{22}`, // payments
  String.raw`SG\.[\w-]{16,64}\.[\w-]{16}|\d{8,10}:AA[\w-]{33}`, // SendGrid, Telegram
  String.raw`do[opr]_v1_[0-9a-f]{64}|dapi[0-9a-f]{32}|dckr_pat_[\w-]{20}|hv[brs]\.[\w-]{20}`, // DigitalOcean, Databricks, Docker, Vault
  String.raw`shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}|lin_(?:api|oauth)_[A-Za-z0-9]{32}|ntn_[A-Za-z0-9]{40}|ATATT3[\w-]{50}`, // Shopify, Linear, Notion, Atlassian
  String.raw`sbp_[0-9a-f]{40}|sb_secret_[\w-]{20}|pscale_(?:tkn|pw|oauth)_[\w-]{32}|dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9]{40}`, // Supabase, PlanetScale, Doppler
  String.raw`glsa_[A-Za-z0-9]{32}|sntry[su]_[\w-]{40}|NRAK-[A-Z0-9]{27}|PMAK-[0-9a-f]{24}|tskey-[a-z]{2,12}-[\w-]{10}`, // Grafana, Sentry, New Relic, Postman, Tailscale
  String.raw`sk_[a-z0-9]{12}_[\w-]{43}`, // keys of this package's server
  String.raw`AGE-SECRET-KEY-1[A-Z0-9]{50}|ops_eyJ[\w-]{50}`, // age, 1Password
].join('|');

// Matches the characters between a name and its value.
const introduced = String.raw`["'\\]{0,3}\s{0,8}[:=]\s{0,8}["'\\]{0,3}`;
const headers = 'x-(?:goog-)?api-key|x-auth-token|x-amz-security-token|private-token';
const amazonNames = '(?:secret_?access_?key|session_?token)';

const introduction = new RegExp(
  `(?:(?:authorization|${headers}|${amazonNames})["'\\\\]{0,3}\\s{0,8}(?:[:=]\\s{0,8}["'\\\\]{0,3})?|\\b(?:bearer|basic|token))\\s{0,8}$`,
  'i',
);

const shapes: readonly Shape[] = [
  // Match the rare token prefixes first, and only then check the text before them.
  { pattern: new RegExp(`(?=${issued})${notInWord}(?:${issued})`, 'g'), endOf: wordRun },
  // API keys from OpenAI, Anthropic and many others. A CSS class such as `sk-fading-circle` does not match.
  { pattern: new RegExp(`${notInWord}sk-[\\w-]{20}`, 'g'), endOf: wordRun, isSecret: looksRandom },
  // JSON Web Tokens, signed or encrypted. Two JSON segments are enough, in case the third segment is cut off.
  {
    pattern: new RegExp(`${notInRun}eyJ[\\w-]{8,16000}\\.(?:eyJ[\\w-]{8}|[\\w-]{0,64000}\\.[\\w-]{8})`, 'g'),
    endOf: tokenRun,
  },
  {
    pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g,
    endOf: endOfPrivateKey,
    isSecret: isPrivateKey,
  },
  // The password in a URL, but not a placeholder such as ${PASSWORD}, <password> or ***.
  {
    pattern:
      /(:\/\/[\w.~%+!$&*;=-]{0,256}:)(?!(?:\$?\{[^\s{}@]{0,64}\}|<[^\s<>@]{0,64}>|\*{1,64})@)[^\s@/"`<>\\]{1,1024}(?=@)/g,
  },
  {
    pattern: new RegExp(`(authorization${introduced}(?:bearer|token)\\s{1,8})[\\w.~+/-]{6}`, 'gi'),
    endOf: valueRun,
  },
  { pattern: new RegExp(`${notInWord}whsec_[A-Za-z0-9+/]{24}`, 'g'), endOf: valueRun }, // Stripe webhooks
  { pattern: /\b(bearer\s{1,8})[\w.~+/-]{16}/gi, endOf: valueRun, isSecret: looksRandom },
  { pattern: /\b(basic\s{1,8})[\w+/-]{6}/gi, endOf: valueRun, isSecret: isBasic },
  { pattern: new RegExp(`(\\b(?:${headers})${introduced})[\\w.~+/-]{8}`, 'gi'), endOf: valueRun },
  { pattern: new RegExp(`(${amazonNames}${introduced})[A-Za-z0-9+/]{40}`, 'gi'), endOf: valueRun },
  { pattern: /(AccountKey=|hooks\.slack\.com\/services\/)[A-Za-z0-9+/]{20}/g, endOf: valueRun },
];

/**
 * Whether a secret looks random: at least one long segment mixes letters and digits. Words and numbers joined
 * by hyphens do not look random.
 */
function looksRandom(secret: string): boolean {
  return secret
    .split(/[_.~+/=-]/)
    .some((part) => part.length >= 12 && /\d/.test(part) && /[A-Za-z]/.test(part));
}

/** Whether the text is base64-encoded credentials for HTTP Basic authentication, not an ordinary word. */
function isBasic(secret: string): boolean {
  const credentials = Buffer.from(secret, 'base64');
  return credentials.includes(':') && isUtf8(credentials) && !/\p{Cc}/u.test(credentials.toString());
}

const longestPrivateKey = 20_000;

function endOfPrivateKey(text: string, from: number): number {
  const rest = text.slice(from, from + longestPrivateKey);
  const fence = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.exec(rest);
  if (fence?.[1] === 'END') return from + fence.index + fence[0].length;
  // If the private key's end marker is missing, redacts all following base64 text.
  return base64Run(text, from);
}

function isPrivateKey(secret: string): boolean {
  return secret.includes('-----END ') || /[A-Za-z0-9+/]{40}/.test(secret);
}

const telling =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PGPASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PRIVATE|AUTH)(?:_|$)/i;
const passwordOfUrl = /^[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:([^\s/]+)@/i;
const url = /^[a-z][a-z0-9+.-]*:\/\//i;
const path = /^(?:[/~]|\.{1,2}[/\\]|[a-z]:[/\\])|^[\w.-]+(?:[/\\][\w.-]+)*[/\\][\w-]+\.[a-z]{1,5}$/i;
const plain = /^(?:[+-]?[\d.,]+|true|false|undefined)$/i;
const shortest = 8;

/**
 * Returns the secrets in environment variables: values whose variable names suggest a secret, and passwords
 * in URLs regardless of the name.
 */
export function secretsIn(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const secrets = Object.entries(environment).flatMap(([name, value]) =>
    secretsOf(name, value?.trim() ?? ''),
  );
  return [...new Set(secrets)].filter((secret) => secret.length >= shortest && !plain.test(secret));
}

function secretsOf(name: string, value: string): readonly string[] {
  const password = passwordOfUrl.exec(value)?.[1];
  if (password !== undefined) return [password, decode(password)];
  return telling.test(name) && !url.test(value) && !path.test(value) ? [value] : [];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // The text contains a percent sign that is not part of an escape sequence.
  }
}
