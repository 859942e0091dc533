import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arch } from 'node:process';

/** The user account inside every sandbox. It is the same for all users of the machine. */
export const insideUser = { name: 'user', id: '1000', home: '/tmp/home' };

/** A file that bubblewrap reads from an open handle. */
interface PrivateFile {
  readonly file: ReusableFile;
  buildArguments(handle: number): readonly string[];
}

let cached: readonly PrivateFile[] | undefined;

/** Returns the files that replace the machine's own files in every sandbox. Creates them only once. */
export function privateFiles(): readonly PrivateFile[] {
  cached ??= [...Object.entries(texts).map(([path, text]) => placed(path, text)), ...filter()];
  return cached;
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

/** A file that has no path and that programs read from a handle. Works only on Linux. Not for secrets. */
interface ReusableFile {
  /** Opens a new handle that reads from the start of the file. The caller must close it. */
  open(): number;
}

/** Writes bytes to a file without a path. Handles can read the file until this process ends. */
function createReusableFile(bytes: Uint8Array): ReusableFile {
  const path = join(tmpdir(), `.skilled-${randomUUID()}`);
  const fd = openSync(path, 'wx+', 0o600);
  try {
    unlinkSync(path);
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
  } catch (thrown) {
    closeSync(fd);
    throw thrown;
  }
  return { open: () => openSync(`/proc/self/fd/${fd}`, 'r') };
}

/**
 * Builds a kernel filter that refuses system calls that namespaces do not confine: calls for the user's
 * session keys, for the kernel's log, for sockets outside the network namespace (such as to a virtual
 * machine's host), and for memory that is not attributed to any process. The filter also refuses calls that
 * would bypass it. Returns undefined for a processor whose system call numbers are not listed in this file.
 */
export function buildSyscallFilter(processor: string): Buffer | undefined {
  const machine = machines[processor];
  if (machine === undefined) return undefined;
  const { architecture, socket, segment, refused, unknown } = machine;
  const parts: Readonly<Record<Label | 'call', readonly Step[]>> = {
    call: [
      load(architectureOffset),
      { code: jumpIfEqual, value: architecture, otherwise: 'unknown' },
      load(numberOffset),
      { code: jumpIfAtLeast, value: foreignNumbers, then: 'unknown' },
      ...refused.map((value): Step => ({ code: jumpIfEqual, value, then: 'refused' })),
      ...unknown.map((value): Step => ({ code: jumpIfEqual, value, then: 'unknown' })),
      { code: jumpIfEqual, value: segment, then: 'segment' },
      { code: jumpIfEqual, value: socket, otherwise: 'allowed' },
      load(firstArgumentOffset),
      ...socketFamilies.map((value): Step => ({ code: jumpIfEqual, value, then: 'allowed' })),
      answer(errorOf(97)),
    ],
    segment: [
      load(secondArgumentOffset + 4),
      { code: jumpIfAtLeast, value: 1, then: 'unknown' },
      load(secondArgumentOffset),
      { code: jumpIfAtLeast, value: segmentBytes + 1, then: 'unknown', otherwise: 'allowed' },
    ],
    refused: [answer(errorOf(1))],
    unknown: [answer(errorOf(38))],
    allowed: [answer(0x7fff_0000)],
  };
  const steps = Object.values(parts).flat();
  const bytes = Buffer.alloc(steps.length * 8);
  for (const [index, { code, value, then, otherwise }] of steps.entries()) {
    const distance = (label?: Label): number =>
      label === undefined ? 0 : steps.indexOf(parts[label][0] as Step) - index - 1;
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(distance(then), index * 8 + 2);
    bytes.writeUInt8(distance(otherwise), index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}

type Label = 'segment' | 'refused' | 'unknown' | 'allowed';

/** A filter instruction. If a jump has no label, the filter continues with the next instruction. */
interface Step {
  readonly code: number;
  readonly value: number;
  readonly then?: Label;
  readonly otherwise?: Label;
}

const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const load = (offset: number): Step => ({ code: 0x20, value: offset });
const answer = (value: number): Step => ({ code: 0x06, value });
const errorOf = (number: number): number => 0x0005_0000 + number;

// Offsets of the fields in the data that the kernel passes to the filter.
const numberOffset = 0;
const architectureOffset = 4;
const firstArgumentOffset = 16;
const secondArgumentOffset = 24;

// System call numbers from this one upwards belong to programs with another pointer size.
const foreignNumbers = 0x4000_0000;
// The maximum size of a shared memory segment. PostgreSQL needs a small one, and at most 4,096 can exist.
const segmentBytes = 4096;
const socketFamilies = [1, 2, 10, 16]; // Unix, IPv4, IPv6, and netlink, which lists network devices.

interface Machine {
  readonly architecture: number;
  readonly socket: number;
  /** The system call number of shmget. */
  readonly segment: number;
  /**
   * The system call numbers of add_key, request_key, keyctl, syslog, bpf, perf_event_open, userfaultfd and
   * io_uring_setup.
   */
  readonly refused: readonly number[];
  /**
   * The system call numbers of memfd_create, memfd_secret, msgget and semget. Some kernels lack these calls,
   * so programs can work without them.
   */
  readonly unknown: readonly number[];
}

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    architecture: 0xc000_003e,
    socket: 41,
    segment: 29,
    refused: [248, 249, 250, 103, 321, 298, 323, 425],
    unknown: [319, 447, 68, 64],
  },
  arm64: {
    architecture: 0xc000_00b7,
    socket: 198,
    segment: 194,
    refused: [217, 218, 219, 116, 280, 241, 282, 425],
    unknown: [279, 447, 186, 190],
  },
};
