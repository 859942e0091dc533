import { deflateRawSync, gzipSync, crc32 } from 'node:zlib';
import { Header, Pax, type HeaderData } from 'tar';
import { skillText } from './tree.ts';

/** An entry of a tar archive, written exactly as given. */
export interface TarEntry extends HeaderData {
  readonly body?: string | Uint8Array;
}

const skill = skillText('greet');
const good: TarEntry = { path: 'greet/SKILL.md', type: 'File', body: skill };

/** Returns a tar archive with these entries, without compression. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ body = '', ...data }) => {
    const bytes = Buffer.from(body as string);
    const header = new Header({
      mode: 0o644,
      uid: 0,
      gid: 0,
      mtime: new Date(0),
      ...data,
      size: data.size ?? bytes.length,
    });
    const block = Buffer.alloc(512);
    const needsPax = header.encode(block);
    const pax = needsPax
      ? [
          new Pax({
            path: header.path,
            linkpath: header.linkpath,
            size: header.size,
          } as ConstructorParameters<typeof Pax>[0]).encode(),
        ]
      : [];
    return [...pax, block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** An entry of a zip archive. The fields can contradict the content. */
export interface RawZipEntry {
  readonly path: string | Buffer;
  readonly body?: string | Uint8Array;
  /** The path in the local header, if it differs. */
  readonly localPath?: string;
  /** The Unix mode. */
  readonly mode?: number;
  readonly method?: number;
  readonly flags?: number;
  readonly size?: number;
  readonly sum?: number;
  /** The compressed bytes, if they differ from the body. */
  readonly packed?: Buffer;
  /** Reuses the data of the first entry. */
  readonly isOverlapping?: boolean;
}

/** Returns a zip archive with these entries, written exactly as given. */
export function zipOf(
  entries: readonly RawZipEntry[],
  { count = entries.length, trailer = '' } = {},
): Buffer {
  const locals: Buffer[] = [];
  const index: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const body = Buffer.from((entry.body ?? '') as string);
    const method = entry.method ?? 8;
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(body) : body);
    const name = Buffer.from(entry.path as string);
    const local = Buffer.from(
      entry.localPath ?? name.toString('latin1'),
      entry.localPath === undefined ? 'latin1' : 'utf8',
    );
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(entry.flags ?? 0, 6);
    head.writeUInt16LE(method, 8);
    head.writeUInt32LE(entry.sum ?? crc32(body), 14);
    head.writeUInt32LE(packed.length, 18);
    head.writeUInt32LE(entry.size ?? body.length, 22);
    head.writeUInt16LE(local.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt8(3, 5);
    central.writeUInt16LE(entry.flags ?? 0, 8);
    central.writeUInt16LE(method, 10);
    central.writeUInt32LE(entry.sum ?? crc32(body), 16);
    central.writeUInt32LE(packed.length, 20);
    central.writeUInt32LE(entry.size ?? body.length, 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38);
    central.writeUInt32LE(entry.isOverlapping === true ? 0 : at, 42);
    index.push(central, name);
    if (entry.isOverlapping === true) continue;
    locals.push(head, local, packed);
    at += head.length + local.length + packed.length;
  }
  const directory = Buffer.concat(index);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, directory, end, Buffer.from(trailer)]);
}

const deep = `${'d/'.repeat(40)}x`;
const badPaths: Readonly<Record<string, string>> = {
  'a parent': '../evil',
  'a parent inside': 'greet/../../evil',
  'a parent at the end': 'greet/..',
  'an absolute path': '/etc/skilled-evil',
  'a drive': 'C:/evil',
  'a backslash': 'greet\\..\\..\\evil',
  'a stream': 'greet/SKILL.md:evil',
  'an empty part': 'greet//evil',
  'a dot': 'greet/./evil',
  'a control character': 'greet/a\u001b[2Jb',
  'a line break': 'greet/a\nb',
  'a character that reverses text': 'greet/a\u202egpj.exe',
  'an invisible character': 'greet/a\u200bb',
  'a reserved name': 'greet/CON.txt',
  'a dot at the end': 'greet/evil.',
  'a folder of git': 'greet/.git/hooks/pre-commit',
  'a folder of git in capitals': 'greet/.GIT/config',
  'a long name': `greet/${'x'.repeat(220)}`,
  'a long path': `greet/${'abc/'.repeat(20)}${'y'.repeat(190)}/${'z'.repeat(190)}`,
  'too many folders': `greet/${deep}`,
  'the same file twice': 'greet/SKILL.md',
  'the same file in other letters': 'greet/skill.MD',
  'a file as a folder': 'greet/SKILL.md/evil',
};

const tarSpecial: Readonly<Record<string, TarEntry>> = {
  'a symbolic link': { path: 'greet/link', type: 'SymbolicLink', linkpath: '/etc/passwd' },
  'a relative link': { path: 'greet/link', type: 'SymbolicLink', linkpath: 'SKILL.md' },
  'a hard link': { path: 'greet/link', type: 'Link', linkpath: 'greet/SKILL.md' },
  'a character device': { path: 'greet/null', type: 'CharacterDevice' },
  'a block device': { path: 'greet/disk', type: 'BlockDevice' },
  'a pipe': { path: 'greet/pipe', type: 'FIFO' },
};

/** Hostile archives by what is wrong with them. Each contains a valid skill, too. */
export function hostileArchives(): readonly {
  readonly what: string;
  readonly name: string;
  readonly bytes: () => Buffer;
}[] {
  const tar = (what: string, bytes: () => Buffer) => ({
    what: `tar: ${what}`,
    name: 'x.tar.gz',
    bytes: () => gzipSync(bytes()),
  });
  const zip = (what: string, bytes: () => Buffer) => ({ what: `zip: ${what}`, name: 'x.zip', bytes });
  const inZip: RawZipEntry = { path: 'greet/SKILL.md', body: skill };
  const zeros = Buffer.alloc(300 * 1024 * 1024);
  return [
    ...Object.entries(badPaths).map(([what, path]) =>
      tar(what, () => tarOf([good, { path, type: 'File', body: 'x' }])),
    ),
    ...Object.entries(tarSpecial).map(([what, entry]) => tar(what, () => tarOf([good, entry]))),
    tar('a link, then a file below it', () =>
      tarOf([
        good,
        { path: 'greet/out', type: 'SymbolicLink', linkpath: '/tmp' },
        { path: 'greet/out/evil', type: 'File', body: 'x' },
      ]),
    ),
    tar('a folder outside', () => tarOf([good, { path: '../evil/', type: 'Directory' }])),
    tar('10,000 entries', () =>
      tarOf([
        good,
        ...Array.from({ length: 10_000 }, (_, index): TarEntry => ({ path: `greet/${index}`, type: 'File' })),
      ]),
    ),
    tar('a damaged header', () => {
      const bytes = tarOf([good]);
      bytes.write('9999999', 148);
      return bytes;
    }),
    tar('the end is missing', () =>
      tarOf([good, { path: 'greet/big', type: 'File', body: 'x'.repeat(5_000) }]).subarray(0, 3_000),
    ),
    tar('a bomb', () => zeros),
    { what: 'neither tar nor zip', name: 'x.tar.gz', bytes: () => Buffer.from('<html>Not found</html>') },
    {
      what: 'tar: compressed data that ends early',
      name: 'x.tar.gz',
      bytes: () => gzipSync(tarOf([good])).subarray(0, 60),
    },
    ...[
      'a parent',
      'an absolute path',
      'a backslash',
      'a control character',
      'the same file in other letters',
      'a file as a folder',
    ].map((what) => zip(what, () => zipOf([inZip, { path: badPaths[what] ?? '', body: 'x' }]))),
    zip('a symbolic link', () => zipOf([inZip, { path: 'greet/link', body: '/etc/passwd', mode: 0o120777 }])),
    zip('a device', () => zipOf([inZip, { path: 'greet/disk', mode: 0o060644 }])),
    zip('a name that is not text', () =>
      zipOf([inZip, { path: Buffer.from([0x67, 0xff, 0xfe]), body: 'x' }]),
    ),
    zip('another name in the file than in the index', () =>
      zipOf([inZip, { path: 'greet/a', localPath: '../a', body: 'x' }]),
    ),
    zip('a wrong checksum', () => zipOf([inZip, { path: 'greet/a', body: 'x', sum: 1 }])),
    zip('a bomb that hides its size', () =>
      zipOf([inZip, { path: 'greet/a', size: 10, packed: deflateRawSync(zeros), sum: 0 }]),
    ),
    zip('a bomb', () => zipOf([inZip, { path: 'greet/a', body: zeros }])),
    zip('entries that overlap', () =>
      zipOf([
        { path: 'greet/SKILL.md', body: 'x'.repeat(4_000), method: 0 },
        ...Array.from({ length: 9 }, (_, index): RawZipEntry => ({
          path: `greet/${index}`,
          body: 'x'.repeat(4_000),
          method: 0,
          isOverlapping: true,
        })),
      ]),
    ),
    zip('encryption', () => zipOf([inZip, { path: 'greet/a', body: 'x', flags: 1 }])),
    zip('an unknown compression', () => zipOf([inZip, { path: 'greet/a', body: 'x', method: 99 }])),
    zip('an index that ends early', () => zipOf([inZip], { count: 3 })),
    zip('text after the end', () => zipOf([inZip], { trailer: 'more' })),
    zip('10,000 entries', () =>
      zipOf([
        inZip,
        ...Array.from({ length: 10_000 }, (_, index): RawZipEntry => ({ path: `greet/${index}` })),
      ]),
    ),
  ];
}
