import { release } from 'node:os';
import type { Grant, SandboxLimits } from '../../core/index.ts';
import type { Network } from '../network/network.ts';
import type { GrantedFolders } from './grant-mounts.ts';
import { insideUser } from './private-files.ts';
import { buildNodeMounts, hostNames, systemMounts } from './system-mounts.ts';

/** The numbers of the handles that the script, and bubblewrap before it, find open. */
export const handles = {
  complaints: 2,
  control: 3,
  arguments: 4,
  stdout: 5,
  stderr: 6,
  stdin: 7,
  channel: 8,
} as const;

/** The first number that is left for files and folders. */
export const firstFreeHandle = 9;

const openFiles = 4096;

/** Threads that each process may have where only threads can be counted: as many as Node has, and more. */
export const threadsPerProcess = 16;

// Since Linux 5.14 the processes of a user are counted for each namespace; before, those of the host would count too.
const [major = 0, minor = 0] = release().split('.').map(Number);
const countsPerSandbox = major > 5 || (major === 5 && minor >= 14);

/**
 * What runs a command in a sandbox, for any `sh`. It says what it finds, begins when it is told to, so that nothing
 * begins for somebody who has died meanwhile, and tells the exit code and whether anybody is left. Then it waits to be
 * killed with all of them, and holds none of the output open. Its first word is the program to look for, the others are
 * the command, which finds a channel as its handle 3 or nothing. Like any shell it leaves out variables whose names are
 * none for it.
 */
export function buildScript({ diskBytes, processes }: SandboxLimits, hasChannel: boolean): string {
  const threads = processes * threadsPerProcess;
  return `
unset -f ulimit command read echo trap set
ulimit -c 0
ulimit -f ${Math.ceil(diskBytes / 512)}
ulimit -n ${openFiles}
${countsPerSandbox ? `{ ulimit -u ${threads} || ulimit -p ${threads}; } 2>/dev/null` : ''}
sought=$1
shift
case $sought in
*/*)
  if [ ! -e "$sought" ]; then found=missing
  elif [ -d "$sought" ] || [ ! -x "$sought" ]; then found=unfit
  else found=ready; fi ;;
*) if command -v "$sought" >/dev/null; then found=ready; else found=missing; fi ;;
esac
echo $found >&3
read -r go <&3 || exit
unset sought found go
trap : TERM
(exec "$@" <&7 >&5 2>&6 3>&${hasChannel ? '8' : '-'} 5>&- 6>&- 7<&- 8>&-)
code=$?
exec 5>&- 6>&- 7<&- 8>&-
set -- /proc/[0-9]*
if [ $# -eq 2 ]; then left=nobody; else left=others; fi
echo $code $left >&3
read -r go <&3
`;
}

/** Arguments of every sandbox: nothing is shared, nothing is left of the privileges of whoever starts it. */
export const fixedArguments: readonly string[] = [
  ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL'],
  ...['--die-with-parent', '--new-session', '--hostname', 'sandbox'],
  ...['--uid', insideUser.id, '--gid', insideUser.id],
  ...['--args', String(handles.arguments)],
];

/** What a sandbox is made of. */
interface Contained {
  readonly grant: Grant;
  readonly network: Network | undefined;
  /** The folder of the host that is its /tmp; memory unless given. */
  readonly temporary: string | undefined;
}

/** Arguments that a grant makes, given apart because other users of the machine see the command lines of all processes. */
export function buildArguments(
  { grant, network, temporary }: Contained,
  { folders, links }: Pick<GrantedFolders, 'folders' | 'links'>,
  handleOf: (index: number) => number,
): readonly string[] {
  const isShared = grant.hosts.includes('*');
  const shown = folders.map(({ path }) => path);
  return [
    ...(isShared ? ['--share-net'] : []),
    ...systemMounts(isShared || network !== undefined),
    ...(isShared ? hostNames : []),
    ...buildOwnFolders(grant, temporary),
    ...folders.flatMap(({ path, isWritable }, index) => [
      ...[isWritable ? '--bind-fd' : '--ro-bind-fd', String(handleOf(index)), path],
    ]),
    ...links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...buildNodeMounts(shown),
    ...(network?.bind ?? []),
    ...['/dev', '/proc', '/'].flatMap((path) => ['--remount-ro', path]),
    ...Object.entries(environmentOf(grant, network)).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/** The folders of a sandbox whose files are memory: not those of the host that were granted in their place. */
export function memoryFoldersOf(
  { folders }: Pick<GrantedFolders, 'folders'>,
  temporary: string | undefined,
): readonly string[] {
  const own = temporary === undefined ? ['/tmp', '/dev/shm'] : ['/dev/shm'];
  return own.filter((folder) => !folders.some(({ path }) => path === folder));
}

function buildOwnFolders(grant: Grant, temporary: string | undefined): readonly string[] {
  const size = String(temporaryBytes(limitsOf(grant)));
  return [
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(sharedMemoryBytes), '--tmpfs', '/dev/shm'],
    ...(temporary === undefined ? ['--size', size, '--tmpfs', '/tmp'] : ['--bind', temporary, '/tmp']),
    ...['--dir', insideUser.home],
    ...['--symlink', '/tmp', '/var/tmp', '--dir', '/run'],
  ];
}

function environmentOf(grant: Grant, network: Network | undefined): Readonly<Record<string, string>> {
  const own = { HOME: insideUser.home, TMPDIR: '/tmp', USER: insideUser.name };
  return { ...grant.environment, ...network?.environment, ...own };
}

const mebibyte = 1 << 20;

/** What the processes of a command may use together where the grant says nothing. */
const defaultLimits: SandboxLimits = {
  memoryBytes: 1024 * mebibyte,
  processes: 256,
  diskBytes: 1024 * mebibyte,
};

/** Bytes of the shared memory that programs find in `/dev/shm`. */
const sharedMemoryBytes = 64 * mebibyte;

/** The limits of a grant, those that it leaves out included. */
export function limitsOf({ limits }: Pick<Grant, 'limits'>): SandboxLimits {
  return { ...defaultLimits, ...limits };
}

/** Bytes that fit into the private temporary folder: it is memory, and what is full of files has to have room to work. */
function temporaryBytes({ memoryBytes, diskBytes }: SandboxLimits): number {
  return Math.min(diskBytes, Math.ceil(memoryBytes / 2));
}
