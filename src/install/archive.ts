import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import type { ReadEntry } from 'tar';
import { reasonOf } from '../core/index.ts';
import { createBundlePaths, shownName, type BundleFile } from '../files/index.ts';
import { refused, sourceLimits } from './tree.ts';

/**
 * Unpacks an archive in memory. Refuses the archive as a whole if one entry is a link, a device or another
 * special file, has an unsafe path, or if the archive is damaged or too large. Throws `skill.refused`.
 */
export async function unpackArchive(bytes: Uint8Array): Promise<readonly BundleFile[]> {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const files = isZip ? readZip(Buffer.from(bytes)) : await readTar(gunzip(bytes));
  if (files.length === 0) throw damaged('it has no files');
  return files;
}

/** Checks the entries of an archive as they are read. */
function createEntries(): { add(path: string, read: () => Uint8Array, isProgram: boolean): void } & {
  readonly files: readonly BundleFile[];
  count(): void;
} {
  const files: BundleFile[] = [];
  const paths = createBundlePaths();
  let entries = 0;
  let size = 0;
  return {
    files,
    count() {
      if (++entries > sourceLimits.archiveEntries)
        throw damaged(`it has more than ${sourceLimits.archiveEntries} entries`);
    },
    add(path, read, isProgram) {
      const fault = paths.add(path);
      if (fault !== undefined) throw damaged(fault);
      const bytes = read();
      size += bytes.length;
      if (size > sourceLimits.unpacked) throw tooLarge();
      files.push({ path, bytes, isProgram });
    },
  };
}

function gunzip(bytes: Uint8Array): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: sourceLimits.unpacked });
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw damaged('it is neither a .zip nor a .tar.gz file, or it is damaged');
  }
}

const regular = new Set(['File', 'OldFile', 'ContiguousFile']);

async function readTar(bytes: Buffer): Promise<readonly BundleFile[]> {
  const { Parser } = await import('tar');
  const entries = createEntries();
  let fault: Error | undefined;
  const attempt = (work: () => void): void => {
    try {
      if (fault === undefined) work();
    } catch (thrown) {
      fault = thrown as Error;
    }
  };
  const onReadEntry = (entry: ReadEntry): void => {
    const chunks: Buffer[] = [];
    attempt(() => {
      entries.count();
      if (entry.type === 'Directory') checkFolder(entry.path);
      else if (!regular.has(entry.type)) throw damaged(`${shownName(entry.path)} is ${tarKind(entry.type)}`);
    });
    entry.on('data', (chunk: Buffer) => void chunks.push(chunk));
    entry.on('end', () => {
      const isProgram = ((entry.mode ?? 0) & 0o111) !== 0;
      if (regular.has(entry.type))
        attempt(() => entries.add(entry.path, () => Buffer.concat(chunks), isProgram));
    });
  };
  const parser = new Parser({ strict: true, maxMetaEntrySize: 65_536, onReadEntry });
  await new Promise<void>((resolve) => {
    parser.on('end', resolve);
    parser.on('error', (error: Error) => {
      fault ??= damaged(`it is damaged (${reasonOf(error)})`);
      resolve();
    });
    parser.end(bytes);
  });
  if (fault !== undefined) throw fault;
  return entries.files;
}

function tarKind(type: string): string {
  if (type === 'Link' || type === 'SymbolicLink') return 'a link';
  return /Device|FIFO/.test(type) ? 'a device' : 'not a regular file';
}

function checkFolder(path: string): void {
  const fault = createBundlePaths().add(path.replace(/\/+$/, ''));
  const isRoot = /^\.?\/*$/.test(path) && !path.startsWith('/');
  if (fault !== undefined && !isRoot) throw damaged(fault);
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;

/**
 * Reads a zip archive by its central directory. The local headers must agree with it, so that every program
 * sees the same files.
 */
function readZip(zip: Buffer): readonly BundleFile[] {
  const entries = createEntries();
  const end = findEnd(zip);
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  let used = 0;
  for (let index = 0; index < count; index++) {
    entries.count();
    if (at + 46 > zip.length || zip.readUInt32LE(at) !== entrySignature)
      throw damaged('its index is damaged');
    const entry = readZipEntry(zip, at);
    at = entry.next;
    used += entry.packed;
    if (used > zip.length) throw damaged('its entries overlap');
    if (entry.path.endsWith('/')) checkFolder(entry.path);
    else entries.add(entry.path, () => contentOf(zip, entry), entry.isProgram);
  }
  return entries.files;
}

function findEnd(zip: Buffer): number {
  for (let at = zip.length - 22; at >= Math.max(0, zip.length - 65_557); at--) {
    if (zip.readUInt32LE(at) === endSignature && at + 22 + zip.readUInt16LE(at + 20) === zip.length)
      return at;
  }
  throw damaged('its index is missing');
}

interface ZipEntry {
  readonly path: string;
  readonly name: Buffer;
  readonly isProgram: boolean;
  readonly method: number;
  readonly sum: number;
  readonly packed: number;
  readonly size: number;
  readonly start: number;
  readonly next: number;
}

function readZipEntry(zip: Buffer, at: number): ZipEntry {
  const [flags, method] = [zip.readUInt16LE(at + 8), zip.readUInt16LE(at + 10)];
  const [sum, packed, size] = [16, 20, 24].map((offset) => zip.readUInt32LE(at + offset)) as [
    number,
    number,
    number,
  ];
  const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset)) as [
    number,
    number,
    number,
  ];
  const [system, attributes] = [zip.readUInt8(at + 5), zip.readUInt32LE(at + 38)];
  const bytes = zip.subarray(at + 46, at + 46 + name);
  const path = bytes.toString('utf8');
  if (!Buffer.from(path).equals(bytes)) throw damaged(`the path ${shownName(path)} is not valid text`);
  if ((flags & 1) !== 0) throw damaged(`${shownName(path)} is encrypted`);
  if ([packed, size].includes(0xffffffff)) throw tooLarge();
  const mode = system === 3 ? attributes >>> 16 : 0;
  const kind = mode & 0o170000;
  if (kind === 0o120000) throw damaged(`${shownName(path)} is a link`);
  if (kind !== 0 && kind !== 0o100000 && kind !== 0o040000)
    throw damaged(`${shownName(path)} is not a regular file`);
  const start = zip.readUInt32LE(at + 42);
  const next = at + 46 + name + extra + comment;
  return {
    path,
    name: bytes,
    isProgram: (mode & 0o111) !== 0 && kind !== 0o040000,
    method,
    sum,
    packed,
    size,
    start,
    next,
  };
}

function contentOf(zip: Buffer, { path, name, method, sum, packed, size, start }: ZipEntry): Uint8Array {
  const isHere = start + 30 <= zip.length && zip.readUInt32LE(start) === localSignature;
  const length = isHere ? zip.readUInt16LE(start + 26) : 0;
  if (!isHere || !zip.subarray(start + 30, start + 30 + length).equals(name))
    throw damaged(`${shownName(path)} differs from the index`);
  const from = start + 30 + length + zip.readUInt16LE(start + 28);
  const raw = zip.subarray(from, from + packed);
  if (size > sourceLimits.unpacked) throw tooLarge();
  if (method !== 0 && method !== 8) throw damaged(`${shownName(path)} is packed in an unknown way`);
  const bytes = method === 0 ? raw : inflate(raw, size, path);
  if (bytes.length !== size || crc32(bytes) !== sum) throw damaged(`${shownName(path)} is damaged`);
  return bytes;
}

function inflate(raw: Buffer, size: number, path: string): Buffer {
  try {
    return inflateRawSync(raw, { maxOutputLength: Math.max(size, 1) });
  } catch {
    throw damaged(`${shownName(path)} is damaged, or larger than the index says`);
  }
}

function damaged(why: string): Error {
  return refused('The archive', why);
}

function tooLarge(): Error {
  return damaged(`it unpacks to more than ${sourceLimits.unpacked / 1_048_576} MiB`);
}
