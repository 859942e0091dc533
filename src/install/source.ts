import { homedir } from 'node:os';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { AgentError, expandHome } from '../core/index.ts';

/** A place that skills can be fetched from, as a person names it. */
export type SkillSource =
  | { readonly kind: 'git'; readonly url: string; readonly ref?: string; readonly path?: string }
  /** A site with an index of skills. */
  | { readonly kind: 'site'; readonly url: string }
  /** An archive or a single descriptor on a web server. */
  | { readonly kind: 'download'; readonly url: string }
  | { readonly kind: 'npm'; readonly name: string; readonly range: string }
  /** A folder or an archive on this machine. The path is absolute. */
  | { readonly kind: 'local'; readonly path: string };

/** The settings that complete short sources. */
export interface SourceDefaults {
  /** The address that `owner/repo` is relative to. */
  readonly gitBase: string;
  /** The folder that relative paths are resolved against. */
  readonly cwd: string;
}

const shorthand = /^([\w.-]+)\/([\w.-]+?)((?:\/[^@\s]+)?)(?:@(.+))?$/;
const packageSource = /^npm:((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?:@(.*))?$/;
const localStart = /^(?:\.{1,2}(?:[/\\]|$)|[/~]|[a-zA-Z]:[/\\])/;
const archiveEnd = /\.(?:zip|tar\.gz|tgz)$/i;
const downloadEnd = /\.(?:zip|tar\.gz|tgz|md)$/i;

/** Reads a source as it is typed or locked. Throws `usage.bad-input` if it is not understood. Pure. */
export function parseSource(text: string, { gitBase, cwd }: SourceDefaults): SkillSource {
  if (/\p{Cc}/u.test(text)) throw notUnderstood(text);
  if (localStart.test(text) || (archiveEnd.test(text) && !/[/:]/.test(text)))
    return { kind: 'local', path: resolve(cwd, expandHome(text, homedir())) };
  const npm = packageSource.exec(text);
  if (npm !== null) return { kind: 'npm', name: npm[1] ?? '', range: npm[2] || 'latest' };
  const git = gitSource(text);
  if (git !== undefined) return git;
  if (/^https?:\/\//i.test(text)) return webSource(text);
  const short = shorthand.exec(text);
  if (short === null) throw notUnderstood(text);
  const [, owner = '', repo = '', path = '', ref] = short;
  if ([owner, repo].some((part) => /^\.+$/.test(part))) throw notUnderstood(text);
  const url = `${gitBase.replace(/\/$/, '')}/${owner}/${repo.replace(/\.git$/, '')}.git`;
  return gitAt(url, ref, path.slice(1), text);
}

/**
 * Returns the source as it is written to a lock, so that it means the same on every machine: a path on this
 * machine becomes relative to the folder of the lock.
 */
export function lockedSource(text: string, source: SkillSource, base: string): string {
  if (source.kind !== 'local') return text;
  const path = relative(base, source.path).split(sep).join('/');
  return isAbsolute(path) ? path : path.startsWith('..') ? path : `./${path}`;
}

/** Returns the source with another git ref or package version. Throws if the source has no versions. */
export function withVersion(source: SkillSource, version: string): SkillSource {
  if (source.kind === 'git') return gitAt(source.url, version, source.path ?? '', version);
  if (source.kind === 'npm') return { ...source, range: version };
  throw new AgentError('usage.bad-input', 'Only git repositories and npm packages have versions.', {
    hint: 'Leave out --ref and --to, or name another source.',
  });
}

/** Returns a source's text with another version, in the form in which it was written. Pure. */
export function textWithVersion(text: string, version: string): string {
  if (text.startsWith('npm:')) return `${text.replace(/(?<=.{5,})@[^@/]*$/, '')}@${version}`;
  if (/^(?:git\+|\w+:\/\/|[\w.-]+@[\w.-]+:)/.test(text)) {
    const [url = '', fragment = ''] = text.split('#', 2);
    const [, path] = fragment.split(':', 2);
    return `${url}#${version}${path === undefined ? '' : `:${path}`}`;
  }
  return `${text.split('@', 1)[0] ?? ''}@${version}`;
}

/** Reads `git+<url>`, `<url>.git`, `ssh://…`, `file://…` and `git@host:path`, each with `#ref:path`. */
function gitSource(text: string): SkillSource | undefined {
  const [address = '', fragment = ''] = text.split('#', 2);
  const url = address.replace(/^git\+/, '');
  const isUrl = /^(?:https?|ssh|file):\/\//i.test(url);
  const isScp = /^[\w.-]+@[\w.-]+:[^:]+$/.test(url);
  const isNamed = address.startsWith('git+') || /^(?:ssh|file):/i.test(url) || /\.git$/i.test(url);
  if (!(isScp || (isUrl && isNamed))) return undefined;
  const [ref = '', path = ''] = fragment.split(':', 2);
  return gitAt(url, ref === '' ? undefined : ref, path, text);
}

function gitAt(url: string, ref: string | undefined, path: string, text: string): SkillSource {
  const isSafeRef = ref === undefined || (/^[\w][\w./+-]*$/.test(ref) && !ref.includes('..'));
  const parts = path.split('/').filter((part) => part !== '');
  if (url.startsWith('-') || !isSafeRef || parts.some((part) => /^\.+$/.test(part)))
    throw notUnderstood(text);
  return {
    kind: 'git',
    url,
    ...(ref === undefined ? {} : { ref }),
    ...(parts.length === 0 ? {} : { path: parts.join('/') }),
  };
}

function webSource(text: string): SkillSource {
  if (!URL.canParse(text)) throw notUnderstood(text);
  const url = new URL(text);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol === 'http:' && !isLocal)
    throw new AgentError('usage.bad-input', `${url.origin} does not use https.`, {
      hint: 'Use an https address. Skills are not fetched over unencrypted connections.',
    });
  return { kind: downloadEnd.test(url.pathname) ? 'download' : 'site', url: url.href };
}

function notUnderstood(text: string): AgentError {
  return new AgentError('usage.bad-input', `${JSON.stringify(text)} is not a source of skills.`, {
    hint: 'Use owner/repo, a git URL, an https address, npm:<package>, or a path that starts with ./ or /.',
  });
}
