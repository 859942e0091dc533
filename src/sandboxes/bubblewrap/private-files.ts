import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arch } from 'node:process';

/** Who processes in a sandbox are, whoever runs them. */
export const insideUser = { name: 'user', id: '1000', home: '/tmp/home' };

/** Something that bubblewrap reads from a handle: its arguments, with the number of the handle between them. */
interface PrivateFile {
  readonly file: ReusableFile;
  buildArguments(handle: number): readonly string[];
}

let made: readonly PrivateFile[] | undefined;

/** The files of every sandbox that come from nowhere on this machine; made once. */
export function privateFiles(): readonly PrivateFile[] {
  made ??= [...Object.entries(texts).map(([path, text]) => placed(path, text)), ...filter()];
  return made;
}

function placed(path: string, text: string): PrivateFile {
  const file = createReusableFile(Buffer.from(text));
  return { file, buildArguments: (handle) => ['--perms', '0444', '--file', String(handle), path] };
}

function filter(): readonly PrivateFile[] {
  const program = buildSyscallFilter(arch);
  if (program === undefined) return [];
  return [{ file: createReusableFile(program), buildArguments: (handle) => ['--seccomp', String(handle)] }];
}

const { name, id, home } = insideUser;

const texts: Readonly<Record<string, string>> = {
  '/etc/passwd': [
    'root:x:0:0:root:/root:/usr/sbin/nologin',
    `${name}:x:${id}:${id}:${name}:${home}:/bin/sh`,
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
  ].join('\n'),
  '/etc/group': `root:x:0:\n${name}:x:${id}:\nnogroup:x:65534:\n`,
  '/etc/hosts': '127.0.0.1 localhost\n::1 localhost\n',
};

/** Bytes that programs read from a handle; nobody finds them by a name. For Linux, and for nothing that is secret. */
interface ReusableFile {
  /** A handle of its own, read from the beginning; whoever opens it closes it. */
  open(): number;
}

/** Keeps bytes for handles until this process ends. */
function createReusableFile(bytes: Uint8Array): ReusableFile {
  const path = join(tmpdir(), `.skilled-${randomUUID()}`);
  const kept = openSync(path, 'wx+', 0o600);
  try {
    unlinkSync(path);
    for (let at = 0; at < bytes.length;) at += writeSync(kept, bytes, at);
  } catch (thrown) {
    closeSync(kept);
    throw thrown;
  }
  return { open: () => openSync(`/proc/self/fd/${kept}`, 'r') };
}

/**
 * A program for the kernel that refuses the calls which no namespace keeps inside: keys of the user's session, the
 * kernel's log, sockets that are not of the network namespace (such as to the machine below a virtual one), and
 * calls that would go around the filter. Undefined for processors whose numbers are not known here.
 */
export function buildSyscallFilter(processor: string): Buffer | undefined {
  const machine = machines[processor];
  if (machine === undefined) return undefined;
  const { architecture, socket, refused } = machine;
  const steps: readonly Step[] = [
    load(architectureOffset),
    { code: jumpIfEqual, value: architecture, otherwise: 'unknown' },
    load(numberOffset),
    { code: jumpIfAtLeast, value: foreignNumbers, then: 'unknown' },
    ...refused.map((value): Step => ({ code: jumpIfEqual, value, then: 'refused' })),
    { code: jumpIfEqual, value: socket, otherwise: 'allowed' },
    load(firstArgumentOffset),
    ...socketFamilies.map((value): Step => ({ code: jumpIfEqual, value, then: 'allowed' })),
  ];
  const ends = { noSuchFamily: errorOf(97), refused: errorOf(1), unknown: errorOf(38), allowed: 0x7fff_0000 };
  const labels = Object.keys(ends);
  const bytes = Buffer.alloc((steps.length + labels.length) * 8);
  const write = (index: number, code: number, then: number, otherwise: number, value: number): void => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(then, index * 8 + 2);
    bytes.writeUInt8(otherwise, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  };
  for (const [index, { code, value, then, otherwise }] of steps.entries()) {
    const distance = (label?: string): number =>
      label === undefined ? 0 : steps.length + labels.indexOf(label) - index - 1;
    write(index, code, distance(then), distance(otherwise), value);
  }
  for (const [index, value] of Object.values(ends).entries()) write(steps.length + index, end, 0, 0, value);
  return bytes;
}

type Label = 'refused' | 'unknown' | 'allowed';

/** One instruction; a jump without a label goes on with the next. */
interface Step {
  readonly code: number;
  readonly value: number;
  readonly then?: Label;
  readonly otherwise?: Label;
}

const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const end = 0x06;
const load = (offset: number): Step => ({ code: 0x20, value: offset });
const errorOf = (number: number): number => 0x0005_0000 + number;

// Where the kernel keeps what is known of a call.
const numberOffset = 0;
const architectureOffset = 4;
const firstArgumentOffset = 16;

const foreignNumbers = 0x4000_0000; // the same processor with other pointers
const socketFamilies = [1, 2, 10, 16]; // unix, both of the internet, and the one that lists network devices

interface Machine {
  readonly architecture: number;
  readonly socket: number;
  /** add_key, request_key, keyctl, syslog, bpf, perf_event_open, userfaultfd, io_uring_setup. */
  readonly refused: readonly number[];
}

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    architecture: 0xc000_003e,
    socket: 41,
    refused: [248, 249, 250, 103, 321, 298, 323, 425],
  },
  arm64: {
    architecture: 0xc000_00b7,
    socket: 198,
    refused: [217, 218, 219, 116, 280, 241, 282, 425],
  },
};
