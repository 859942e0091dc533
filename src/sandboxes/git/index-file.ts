import { createHash } from 'node:crypto';

/**
 * Checks an index file that a sandboxed command wrote. Git writes each entry to its path without a check,
 * so a forged entry could overwrite a hook. Returns the bytes to keep, or the reason to reject the file.
 * Removes extensions that are only caches, because these could contradict the entries. Pure.
 */
export function checkIndex(bytes: Buffer, hash: 'sha1' | 'sha256'): Buffer | string {
  const idBytes = hash === 'sha1' ? 20 : 32;
  const end = bytes.length - idBytes;
  if (end < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC') return 'It is not a git index file.';
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return `Git index version ${version} is not supported.`;
  const entries = readEntries(bytes, end, version, idBytes);
  if (typeof entries === 'string') return entries;
  const extensions = readExtensions(bytes, entries.end, end);
  if (typeof extensions === 'string') return extensions;
  const isSplit = extensions.some(({ name }) => name === 'link');
  if (entries.hasNameless && !isSplit) return 'An index entry has no name.';
  const supported = extensions.filter(({ name }) => known.has(name));
  if (supported.length === extensions.length) return bytes;
  const body = Buffer.concat([bytes.subarray(0, entries.end), ...supported.map(({ all }) => all)]);
  return Buffer.concat([body, createHash(hash).update(body).digest()]);
}

const known: ReadonlySet<string> = new Set(['TREE', 'REUC', 'UNTR', 'sdir', 'link']);
const modes: ReadonlySet<number> = new Set([0o100644, 0o100755, 0o120000, 0o160000, 0o040000]);
const statBytes = 40;

interface Entries {
  readonly end: number;
  readonly hasNameless: boolean;
}

function readEntries(bytes: Buffer, end: number, version: number, idBytes: number): Entries | string {
  const count = bytes.readUInt32BE(8);
  const folders = new Set<string>(['']);
  const links: string[] = [];
  let previous: Buffer = Buffer.alloc(0);
  let position = 12;
  let hasNameless = false;
  for (let index = 0; index < count; index += 1) {
    const start = position;
    let at = start + statBytes + idBytes + 2;
    if (at > end) return cutShort;
    const mode = bytes.readUInt32BE(start + 24);
    if (!modes.has(mode)) return 'An index entry is not a file.';
    const flags = bytes.readUInt16BE(at - 2);
    if ((flags & 0x4000) !== 0) at += 2;
    let shared = 0;
    if (version === 4) {
      const stripped = readCount(bytes, at, end);
      if (stripped === undefined || stripped.value > previous.length) return 'A name is corrupt.';
      at = stripped.next;
      shared = previous.length - stripped.value;
    }
    const stop = bytes.indexOf(0, at);
    if (stop < 0 || stop >= end) return cutShort;
    const own = bytes.subarray(at, stop);
    const name = shared === 0 ? own : Buffer.concat([previous.subarray(0, shared), own]);
    if (Math.min(name.length, 0xfff) !== (flags & 0xfff))
      return 'An index entry has a name of the wrong length.';
    hasNameless ||= name.length === 0;
    const path = name.toString('latin1'); // Latin-1 maps each byte to one character.
    const fault = faultIn(path, folders);
    if (fault !== undefined) return `"${name.toString('utf8')}" ${fault}`;
    if (mode === 0o120000) links.push(`${path}/`);
    previous = name;
    position = version === 4 ? stop + 1 : start + ((stop - start + 8) & ~7);
    if (position > end) return cutShort;
  }
  if (links.some((link) => folders.has(link)))
    return 'An index entry is inside a path that another entry declares as a link.';
  return { end: position, hasNameless };
}

const cutShort = 'It is truncated.';

/** Reads the number of bytes that an entry of index version 4 removes from the end of the previous name. */
function readCount(bytes: Buffer, from: number, end: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let at = from; at < Math.min(end, from + 5); at += 1) {
    const byte = bytes[at] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, next: at + 1 };
    value += 1;
  }
  return undefined;
}

/**
 * Returns the reason to reject a path: it could leave its folder, or a file system could treat a name in it
 * as `.git`. Adds the parent folders of the path to `folders`.
 */
function faultIn(path: string, folders: Set<string>): string | undefined {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const names = folders.has(folder) ? [path.slice(folder.length)] : path.split('/');
  if (names.at(-1) === '') names.pop(); // A sparse folder's path ends with a slash; a name can be empty.
  let way = '';
  for (const name of names) {
    if (name === '' || name === '.' || name === '..') return 'leads to another folder.';
    if (/^[.g]|[^ -~]/i.test(name) && isGitName(name)) return 'could be in a git folder.';
    way += `${name}/`;
    if (way.length <= folder.length) folders.add(way);
  }
  return undefined;
}

function isGitName(name: string): boolean {
  const folded = Buffer.from(name, 'latin1')
    .toString('utf8')
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return /^(?:\.git|git~\d+)[. ]*(?::.*)?$/is.test(folded);
}

interface Extension {
  readonly name: string;
  readonly all: Buffer;
}

function readExtensions(bytes: Buffer, from: number, end: number): readonly Extension[] | string {
  const found: Extension[] = [];
  for (let at = from; at < end;) {
    if (at + 8 > end) return 'An index extension is corrupt.';
    const name = bytes.toString('latin1', at, at + 4);
    const next = at + 8 + bytes.readUInt32BE(at + 4);
    if (next > end) return 'An index extension is corrupt.';
    if (!/^[A-Z]/.test(name) && !known.has(name)) return `The index extension "${name}" is not supported.`;
    found.push({ name, all: bytes.subarray(at, next) });
    at = next;
  }
  return found;
}
