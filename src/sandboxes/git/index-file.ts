import { createHash } from 'node:crypto';

/**
 * Checks an index that a sandboxed command wrote. Git writes every entry of it to the path that the entry has, without
 * looking at it again, so that a crafted one could name a hook. Extensions that are mere caches and could say something
 * else than the entries are left out. Gives the bytes to keep, or what is wrong with them. Pure.
 */
export function checkIndex(bytes: Buffer, hash: 'sha1' | 'sha256'): Buffer | string {
  const idBytes = hash === 'sha1' ? 20 : 32;
  const end = bytes.length - idBytes;
  if (end < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC') return 'It is not an index.';
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return `Version ${version} of the index is not known.`;
  const entries = readEntries(bytes, end, version, idBytes);
  if (typeof entries === 'string') return entries;
  const extensions = readExtensions(bytes, entries.end, end);
  if (typeof extensions === 'string') return extensions;
  const isSplit = extensions.some(({ name }) => name === 'link');
  if (entries.hasNameless && !isSplit) return 'An entry has no name.';
  const kept = extensions.filter(({ name }) => known.has(name));
  if (kept.length === extensions.length) return bytes;
  const body = Buffer.concat([bytes.subarray(0, entries.end), ...kept.map(({ all }) => all)]);
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
    if (!modes.has(mode)) return 'An entry is not a file.';
    const flags = bytes.readUInt16BE(at - 2);
    if ((flags & 0x4000) !== 0) at += 2;
    let shared = 0;
    if (version === 4) {
      const stripped = readCount(bytes, at, end);
      if (stripped === undefined || stripped.value > previous.length) return 'A name is damaged.';
      at = stripped.next;
      shared = previous.length - stripped.value;
    }
    const stop = bytes.indexOf(0, at);
    if (stop < 0 || stop >= end) return cutShort;
    const own = bytes.subarray(at, stop);
    const name = shared === 0 ? own : Buffer.concat([previous.subarray(0, shared), own]);
    if (Math.min(name.length, 0xfff) !== (flags & 0xfff)) return 'A name has another length than it says.';
    hasNameless ||= name.length === 0;
    const path = name.toString('latin1'); // one character for a byte
    const fault = faultIn(path, folders);
    if (fault !== undefined) return `"${name.toString('utf8')}" ${fault}`;
    if (mode === 0o120000) links.push(`${path}/`);
    previous = name;
    position = version === 4 ? stop + 1 : start + ((stop - start + 8) & ~7);
    if (position > end) return cutShort;
  }
  if (links.some((link) => folders.has(link))) return 'An entry is in what another one says is a link.';
  return { end: position, hasNameless };
}

const cutShort = 'It ends too early.';

/** A number as version 4 writes how many bytes of the name before are not shared. */
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

/** Finds steps that lead elsewhere, and names by which a file system may know `.git`; remembers the folders on the way. */
function faultIn(path: string, folders: Set<string>): string | undefined {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const names = folders.has(folder) ? [path.slice(folder.length)] : path.split('/');
  if (names.at(-1) === '') names.pop(); // a folder of a sparse index, or an entry without a name
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
  const letters = Buffer.from(name, 'latin1')
    .toString('utf8')
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return /^(?:\.git|git~\d+)[. ]*(?::.*)?$/is.test(letters);
}

interface Extension {
  readonly name: string;
  readonly all: Buffer;
}

function readExtensions(bytes: Buffer, from: number, end: number): readonly Extension[] | string {
  const found: Extension[] = [];
  for (let at = from; at < end;) {
    if (at + 8 > end) return 'An extension is damaged.';
    const name = bytes.toString('latin1', at, at + 4);
    const next = at + 8 + bytes.readUInt32BE(at + 4);
    if (next > end) return 'An extension is damaged.';
    if (!/^[A-Z]/.test(name) && !known.has(name)) return `The extension "${name}" is not known.`;
    found.push({ name, all: bytes.subarray(at, next) });
    at = next;
  }
  return found;
}
